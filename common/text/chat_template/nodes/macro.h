// {% macro %} and {% call %}.
//
// Threading: immutable; a rendering brings everything that changes.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "common/text/chat_template/nodes/calls.h"
#include "common/text/chat_template/nodes/node.h"
#include "common/text/chat_template/run/scope.h"

namespace dflash::jinja {

/// What a macro is: its parameters and its body.
struct MacroParts {
  struct Parameter {
    std::string name;
    ExpressionPtr otherwise;  ///< null when there is no default
  };
  std::string name;
  std::vector<Parameter> parameters;
  Block body;
  bool uses_varargs = false;
  bool uses_kwargs = false;
  bool uses_caller = false;
};

class MacroNode : public Statement {
 public:
  MacroNode(int at, MacroParts parts) : Statement(at), parts_(std::move(parts)) {}
  Flow run(Rendering& rendering) const override;

 private:
  MacroParts parts_;
};

/// {% call(parameters) macro(arguments) %}...{% endcall %}: the macro gets the block as caller().
class CallBlockNode : public Statement {
 public:
  CallBlockNode(int at, std::unique_ptr<const CallNode> macro_call, MacroParts caller)
      : Statement(at), call_(std::move(macro_call)), caller_(std::move(caller)) {}
  Flow run(Rendering& rendering) const override;

 private:
  std::unique_ptr<const CallNode> call_;
  MacroParts caller_;
};

/// A macro as a value: its text when it is called. Sees the variables around its definition.
class MacroObject : public Object {
 public:
  MacroObject(const MacroParts* parts, std::shared_ptr<Scope> around) : parts_(parts), around_(std::move(around)) {}
  [[nodiscard]] std::string type() const override { return "Macro"; }
  [[nodiscard]] std::optional<Value> attribute(const Value& self, std::string_view name) override;
  [[nodiscard]] bool callable() const override { return true; }
  Value call(Rendering& rendering, const Arguments& arguments) override;

 private:
  const MacroParts* parts_;  ///< of the template, which outlives the rendering
  std::shared_ptr<Scope> around_;
};

}  // namespace dflash::jinja
