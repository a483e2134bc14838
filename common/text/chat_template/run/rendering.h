// Rendering: one run of a template: its variables, its output, and what it has used of its limits.
//
//   Rendering rendering(clock, limits);
//   rendering.give("messages", value);
//   rendering.run(block);
//   use(rendering.output());
//
// Threading: one thread. Owns: every scope and namespace that could hold itself; the destructor dissolves them.
#pragma once

#include <ctime>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/chat_template/nodes/node.h"
#include "common/text/chat_template/run/budget.h"
#include "common/text/chat_template/run/namespace_object.h"
#include "common/text/chat_template/run/scope.h"
#include "common/text/chat_template/values/value.h"

namespace dflash::jinja {

/// Bytes of the output that a generation block printed.
struct ByteSpan {
  size_t begin;
  size_t end;
};

class Rendering {
 public:
  Rendering(std::function<std::tm()> clock, const TemplateLimits& limits);
  Rendering(const Rendering&) = delete;
  Rendering& operator=(const Rendering&) = delete;
  ~Rendering();

  /// A variable for the template. `name` must outlive the rendering.
  void give(std::string_view name, Value value) { given_->set(name, std::move(value)); }

  Value evaluate(const Expression& expression) {
    const DepthGuard guard(budget);
    budget.spend(1);
    return expression.evaluate(*this);
  }
  Flow run(const Block& block);
  /// Runs `block` in a scope of its own.
  Flow run_inside(const Block& block);
  /// What `block` prints, run in `inside`; nothing of it reaches the output.
  [[nodiscard]] std::string capture(const Block& block, std::shared_ptr<Scope> inside);

  [[nodiscard]] Value find(std::string_view name) const;
  [[nodiscard]] const std::shared_ptr<Scope>& scope() const { return scope_; }
  void set(std::string_view name, Value value) { scope_->set(name, std::move(value)); }

  void print(std::string_view text);
  void print(const Value& value);
  [[nodiscard]] const std::string& output() const { return *output_; }
  /// True inside a macro, a block set and so on, where the place in the final text is not known.
  [[nodiscard]] bool captures() const { return output_ != &text_; }

  /// A text that the template made; it counts.
  [[nodiscard]] Value make_text(std::string bytes, bool markup = false) {
    budget.spend_text(bytes.size());
    return Value::of_text(std::move(bytes), markup);
  }
  [[nodiscard]] std::shared_ptr<NamespaceObject> make_namespace();
  /// `scope` is held by a value: it is dissolved at the end.
  void dissolve_at_end(const std::shared_ptr<Scope>& scope) { held_scopes_.push_back(scope); }
  [[nodiscard]] std::tm now() const { return clock_(); }

  Budget budget;
  int line = 1;                      ///< of the statement that runs
  std::vector<ByteSpan> generated;   ///< in order of their ends
  bool generated_elsewhere = false;  ///< a generation block ran where captures() holds

 private:
  friend class ScopeChange;
  friend class CapturedOutput;
  std::function<std::tm()> clock_;
  std::string text_;
  std::string* output_ = &text_;
  std::shared_ptr<Scope> given_;
  std::shared_ptr<Scope> scope_;
  std::vector<std::shared_ptr<Scope>> held_scopes_;
  std::vector<std::shared_ptr<NamespaceObject>> namespaces_;
};

/// Makes `scope` the innermost one while it lives.
class ScopeChange {
 public:
  ScopeChange(Rendering& rendering, std::shared_ptr<Scope> scope)
      : rendering_(rendering), before_(std::exchange(rendering.scope_, std::move(scope))) {}
  ScopeChange(const ScopeChange&) = delete;
  ScopeChange& operator=(const ScopeChange&) = delete;
  ~ScopeChange() { rendering_.scope_ = std::move(before_); }

 private:
  Rendering& rendering_;
  std::shared_ptr<Scope> before_;
};

/// Sends what is printed to `text` while it lives.
class CapturedOutput {
 public:
  CapturedOutput(Rendering& rendering, std::string& text)
      : rendering_(rendering), before_(std::exchange(rendering.output_, &text)) {}
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;
  ~CapturedOutput() { rendering_.output_ = before_; }

 private:
  Rendering& rendering_;
  std::string* before_;
};

[[nodiscard]] inline std::shared_ptr<Scope> scope_in(const std::shared_ptr<Scope>& outer) {
  return std::make_shared<Scope>(outer);
}

}  // namespace dflash::jinja
