// Target: what {% set %}, {% for %} and {% with %} assign to: a name, a namespace's attribute, or several of them.
//
// Threading: immutable.
#pragma once

#include <string>
#include <vector>

#include "common/text/chat_template/run/rendering.h"

namespace dflash::jinja {

struct Target {
  std::string name;           ///< of the variable, or of the namespace when there is an attribute
  std::string attribute;      ///< empty for a plain name
  std::vector<Target> parts;  ///< not empty: a tuple is unpacked
  bool is_tuple = false;

  void assign(Rendering& rendering, const Value& value) const;
};

}  // namespace dflash::jinja
