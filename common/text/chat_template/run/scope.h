// Scope: the variables of one block. A name is looked for outwards, then among the variables given to the rendering,
// then among the functions of the environment.
//
// Threading: one rendering's. Owns: its variables, and shares the scope around it.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "common/text/chat_template/values/value.h"

namespace dflash::jinja {

class Scope {
 public:
  explicit Scope(std::shared_ptr<Scope> outer) : outer_(std::move(outer)) {}

  /// `name` must outlive the scope: names stand in the template, or are constants.
  void set(std::string_view name, Value value) {
    for (auto& [own, old] : variables_) {
      if (own == name) {
        old = std::move(value);
        return;
      }
    }
    variables_.emplace_back(name, std::move(value));
  }
  /// Null when neither this scope nor one around it has the name.
  [[nodiscard]] const Value* find(std::string_view name) const {
    for (const Scope* scope = this; scope != nullptr; scope = scope->outer_.get()) {
      for (const auto& [own, value] : scope->variables_) {
        if (own == name) return &value;
      }
    }
    return nullptr;
  }
  [[nodiscard]] const std::shared_ptr<Scope>& outer() const { return outer_; }
  /// Lets go of everything: macros hold the scope that holds them.
  void dissolve() {
    variables_.clear();
    outer_.reset();
  }

 private:
  std::shared_ptr<Scope> outer_;
  std::vector<std::pair<std::string_view, Value>> variables_;
};

}  // namespace dflash::jinja
