// LoopObject: the variable `loop` inside {% for %}.
//
// Threading: one rendering's.
#pragma once

#include <memory>
#include <vector>

#include "common/text/chat_template/run/scope.h"
#include "common/text/chat_template/values/object.h"

namespace dflash::jinja {

class ForNode;

class LoopObject : public Object {
 public:
  LoopObject(std::vector<Value> items, int depth)
      : Object(depth_above(items)), items_(std::move(items)), level_(depth) {}
  /// The loop may be called: `node` stands in the scope `around`.
  void make_recursive(const ForNode* node, std::shared_ptr<Scope> around) {
    node_ = node;
    around_ = std::move(around);
  }
  [[nodiscard]] bool has_item() const { return place_ < items_.size(); }
  [[nodiscard]] const Value& item() const { return items_[place_]; }
  void advance() { ++place_; }

  [[nodiscard]] std::string type() const override { return "LoopContext"; }
  [[nodiscard]] std::optional<Value> attribute(const Value& self, std::string_view name) override;
  [[nodiscard]] bool callable() const override { return true; }
  Value call(Rendering& rendering, const Arguments& arguments) override;

  [[nodiscard]] size_t place() const { return place_; }
  /// True when `values` are not those of the last call.
  [[nodiscard]] bool changed(const std::vector<Value>& values);

 private:
  std::vector<Value> items_;
  size_t place_ = 0;
  int level_;
  const ForNode* node_ = nullptr;
  std::shared_ptr<Scope> around_;
  std::vector<Value> last_values_;
  bool was_asked_ = false;
};

}  // namespace dflash::jinja
