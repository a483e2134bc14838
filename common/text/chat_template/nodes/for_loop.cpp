#include "common/text/chat_template/nodes/for_loop.h"

#include "common/text/chat_template/nodes/loop_object.h"
#include "common/text/chat_template/values/access.h"

namespace dflash::jinja {

Flow ForNode::run(Rendering& rendering) const {
  run_over(rendering, rendering.evaluate(*parts_.items), 0);
  return Flow::onwards;
}

std::vector<Value> ForNode::chosen_items(Rendering& rendering, const Value& items) const {
  std::vector<Value> all = items_of(rendering, items);
  if (parts_.condition == nullptr) return all;
  std::vector<Value> chosen;
  for (Value& item : all) {
    const ScopeChange change(rendering, scope_in(rendering.scope()));
    parts_.target.assign(rendering, item);
    if (is_true(rendering.evaluate(*parts_.condition))) chosen.push_back(std::move(item));
  }
  return chosen;
}

void ForNode::run_over(Rendering& rendering, const Value& items, int depth) const {
  const auto around = rendering.scope();
  const auto loop = std::make_shared<LoopObject>(chosen_items(rendering, items), depth);
  if (parts_.recursive) {
    rendering.dissolve_at_end(around);
    loop->make_recursive(this, around);
  }
  bool ended_a_turn = false;
  for (; loop->has_item(); loop->advance()) {
    rendering.budget.spend(1);
    const ScopeChange change(rendering, scope_in(around));
    rendering.set("loop", Value::of_object(loop));
    parts_.target.assign(rendering, loop->item());
    const Flow flow = rendering.run(parts_.body);
    ended_a_turn = ended_a_turn || flow == Flow::onwards;
    if (flow == Flow::leave_loop) break;
  }
  if (!ended_a_turn) rendering.run_inside(parts_.otherwise);
}

Value ForNode::recurse(Rendering& rendering, const std::shared_ptr<Scope>& around, const Value& items,
                       int depth) const {
  std::string printed;
  {
    const CapturedOutput capture(rendering, printed);
    const ScopeChange change(rendering, around);
    run_over(rendering, items, depth);
  }
  return rendering.make_text(std::move(printed));
}

}  // namespace dflash::jinja
