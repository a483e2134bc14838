// Cycler and Joiner: objects that remember how often they were used.
//
// Threading: one rendering's.
#pragma once

#include <vector>

#include "common/text/chat_template/values/object.h"

namespace dflash::jinja {

/// cycler('a', 'b'): next(), current, reset().
class Cycler : public Object {
 public:
  explicit Cycler(std::vector<Value> items) : Object(depth_above(items)), items_(std::move(items)) {}
  [[nodiscard]] std::string type() const override { return "Cycler"; }
  [[nodiscard]] std::optional<Value> attribute(const Value& self, std::string_view name) override;
  const Value& next();
  void reset() { place_ = 0; }

 private:
  std::vector<Value> items_;
  size_t place_ = 0;
};

/// joiner(', '): nothing the first time, then the separator.
class Joiner : public Object {
 public:
  explicit Joiner(Value separator) : Object(separator.depth() + 1), separator_(std::move(separator)) {}
  [[nodiscard]] std::string type() const override { return "Joiner"; }
  [[nodiscard]] bool callable() const override { return true; }
  Value call(Rendering& rendering, const Arguments& arguments) override;

 private:
  Value separator_;
  bool used_ = false;
};

}  // namespace dflash::jinja
