#include "common/text/chat_template/nodes/statements.h"

#include "common/base/format.h"
#include "common/text/chat_template/run/rendering.h"

namespace dflash::jinja {
namespace {

/// The text of `block` in a scope of its own, through `filters`, which see that scope.
Value filtered_text(Rendering& rendering, const std::vector<FilterCall>& filters, const Block& block) {
  const auto inside = scope_in(rendering.scope());
  Value text = rendering.make_text(rendering.capture(block, inside));
  const ScopeChange change(rendering, inside);
  for (const FilterCall& filter : filters) text = filter.apply(rendering, text);
  return text;
}

}  // namespace

Flow TextNode::run(Rendering& rendering) const {
  rendering.print(text_);
  return Flow::onwards;
}

Flow PrintNode::run(Rendering& rendering) const {
  rendering.print(rendering.evaluate(*value_));
  return Flow::onwards;
}

Flow IfNode::run(Rendering& rendering) const {
  for (const Branch& branch : branches_) {
    if (branch.condition != nullptr && !is_true(rendering.evaluate(*branch.condition))) continue;
    return rendering.run(branch.block);
  }
  return Flow::onwards;
}

Flow SetNode::run(Rendering& rendering) const {
  target_.assign(rendering, rendering.evaluate(*value_));
  return Flow::onwards;
}

Flow SetBlockNode::run(Rendering& rendering) const {
  target_.assign(rendering, filtered_text(rendering, filters_, block_));
  return Flow::onwards;
}

Flow FilterBlockNode::run(Rendering& rendering) const {
  const Value text = filtered_text(rendering, filters_, block_);
  if (text.text() == nullptr) type_error(format("a filter block must end in a text, not {}", type_name(text)));
  rendering.print(text);
  return Flow::onwards;
}

Flow WithNode::run(Rendering& rendering) const {
  std::vector<Value> values;
  for (const auto& [target, value] : assignments_) values.push_back(rendering.evaluate(*value));
  const ScopeChange change(rendering, scope_in(rendering.scope()));
  for (size_t i = 0; i < values.size(); ++i) assignments_[i].first.assign(rendering, values[i]);
  return rendering.run(block_);
}

Flow GenerationNode::run(Rendering& rendering) const {
  const size_t begin = rendering.output().size();
  rendering.run_inside(block_);
  if (rendering.captures()) {
    rendering.generated_elsewhere = true;
  } else {
    rendering.generated.push_back({begin, rendering.output().size()});
  }
  return Flow::onwards;
}

Flow RefusedNode::run(Rendering& /*rendering*/) const {
  type_error(reason_);
}

}  // namespace dflash::jinja
