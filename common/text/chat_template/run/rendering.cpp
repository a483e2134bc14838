#include "common/text/chat_template/run/rendering.h"

#include "common/text/chat_template/builtins/functions.h"
#include "common/text/chat_template/values/python_text.h"

namespace dflash::jinja {

Rendering::Rendering(std::function<std::tm()> clock, const TemplateLimits& limits)
    : budget(limits), clock_(std::move(clock)), given_(std::make_shared<Scope>(nullptr)), scope_(scope_in(given_)) {}

Rendering::~Rendering() {
  for (const auto& object : namespaces_) object->clear();
  for (const auto& scope : held_scopes_) scope->dissolve();
}

Flow Rendering::run(const Block& block) {
  const DepthGuard guard(budget);
  for (const auto& statement : block) {
    budget.spend(1);
    line = statement->line;
    const Flow flow = statement->run(*this);
    if (flow != Flow::onwards) return flow;
  }
  return Flow::onwards;
}

Flow Rendering::run_inside(const Block& block) {
  const ScopeChange change(*this, scope_in(scope_));
  return run(block);
}

std::string Rendering::capture(const Block& block, std::shared_ptr<Scope> inside) {
  std::string captured;
  const CapturedOutput change(*this, captured);
  const ScopeChange scope_change(*this, std::move(inside));
  run(block);
  return captured;
}

Value Rendering::find(std::string_view name) const {
  if (const Value* value = scope_->find(name)) return *value;
  if (const Value* function = find_function(name)) return *function;
  return Value::undefined("'" + std::string(name) + "' is undefined");
}

void Rendering::print(std::string_view text) {
  budget.spend_text(text.size());
  if (output_->size() + text.size() > budget.text_bytes()) {
    fail(TemplateFailure::limit, format("more than {} bytes of output", budget.text_bytes()));
  }
  output_->append(text);
}

void Rendering::print(const Value& value) {
  if (const Text* text = value.text()) {
    print(text->bytes);
  } else if (!value.is_undefined()) {
    print(str(value));
  }
}

std::shared_ptr<NamespaceObject> Rendering::make_namespace() {
  namespaces_.push_back(std::make_shared<NamespaceObject>());
  return namespaces_.back();
}

}  // namespace dflash::jinja
