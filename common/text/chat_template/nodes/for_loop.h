// {% for %}: items, condition, else, recursion, and the `loop` object.
//
// Threading: immutable; a rendering brings everything that changes.
#pragma once

#include <utility>

#include "common/text/chat_template/nodes/node.h"
#include "common/text/chat_template/nodes/target.h"

namespace dflash::jinja {

class ForNode : public Statement {
 public:
  struct Parts {
    Target target;
    ExpressionPtr items;
    ExpressionPtr condition;  ///< null when every item is taken
    bool recursive = false;
    Block body;
    Block otherwise;  ///< when no turn came to its end: there was no item, or each was cut by break or continue
  };
  ForNode(int at, Parts parts) : Statement(at), parts_(std::move(parts)) {}
  Flow run(Rendering& rendering) const override;

  /// loop(items): what the loop prints for `items`, one level deeper, in the scope that it stands in.
  [[nodiscard]] Value recurse(Rendering& rendering, const std::shared_ptr<Scope>& around, const Value& items,
                              int depth) const;

 private:
  [[nodiscard]] std::vector<Value> chosen_items(Rendering& rendering, const Value& items) const;
  void run_over(Rendering& rendering, const Value& items, int depth) const;
  Parts parts_;
};

}  // namespace dflash::jinja
