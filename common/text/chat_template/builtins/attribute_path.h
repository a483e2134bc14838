// AttributePath: what filters take as `attribute`: a name, a number, or several joined by dots.
//
// Threading: as Rendering.
#pragma once

#include <vector>

#include "common/text/chat_template/values/value.h"

namespace dflash::jinja {

class AttributePath {
 public:
  /// No parts for none; a part of digits is a number.
  explicit AttributePath(const Value& attribute);
  /// Follows the path with item(); an undefined step becomes `otherwise`, unless that is none.
  [[nodiscard]] Value of(Value value, const Value& otherwise = {}) const;

 private:
  std::vector<Value> parts_;
};

/// soft_str: a text stays as it is, anything else is printed.
[[nodiscard]] Value soft_text(const Value& value);
/// For sorting and comparing without case: texts in lower case, the rest as it is.
[[nodiscard]] Value without_case(const Value& value);

}  // namespace dflash::jinja
