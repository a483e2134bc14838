// Parameters: the arguments of a built-in function, matched with its parameters by place or by name.
//
//   const Parameters given("join", arguments, {"d", "attribute"});
//   const std::string separator = given.has(0) ? str(given[0]) : "";
//
// Threading: as Rendering. Limits: at most 8 parameters; the arguments must outlive it.
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <string_view>

#include "common/text/chat_template/values/object.h"

namespace dflash::jinja {

class Parameters {
 public:
  /// Fails for too many arguments, for a name that is not a parameter, and when one of the first `required` is missing.
  Parameters(std::string_view function, const Arguments& arguments, std::initializer_list<std::string_view> names,
             size_t required = 0);

  [[nodiscard]] bool has(size_t i) const { return values_[i] != nullptr; }
  /// Present and not none.
  [[nodiscard]] bool given(size_t i) const { return has(i) && !values_[i]->is_none(); }
  /// A parameter that has() is true for.
  [[nodiscard]] const Value& operator[](size_t i) const { return *values_[i]; }
  [[nodiscard]] Value value_or(size_t i, Value otherwise) const { return has(i) ? *values_[i] : std::move(otherwise); }
  [[nodiscard]] bool flag(size_t i, bool otherwise) const { return has(i) ? is_true(*values_[i]) : otherwise; }
  [[nodiscard]] int64_t count(size_t i, int64_t otherwise) const;
  /// The bytes of a text; fails for another type.
  [[nodiscard]] const std::string& text(size_t i) const;
  [[nodiscard]] std::string text_or(size_t i, std::string_view otherwise) const;

 private:
  std::string_view function_;
  std::array<std::string_view, 8> names_{};
  std::array<const Value*, 8> values_{};
};

}  // namespace dflash::jinja
