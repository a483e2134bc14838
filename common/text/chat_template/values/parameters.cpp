#include "common/text/chat_template/values/parameters.h"

#include <algorithm>

#include "common/base/format.h"
#include "common/text/chat_template/values/numbers.h"

namespace dflash::jinja {

Parameters::Parameters(std::string_view function, const Arguments& arguments,
                       std::initializer_list<std::string_view> names, size_t required)
    : function_(function) {
  std::ranges::copy(names, names_.begin());
  if (arguments.positional.size() > names.size()) {
    type_error(
        format("{}() takes at most {} arguments, {} were given", function, names.size(), arguments.positional.size()));
  }
  for (size_t i = 0; i < arguments.positional.size(); ++i) values_[i] = &arguments.positional[i];
  for (const auto& [name, value] : arguments.named) {
    const auto place = static_cast<size_t>(std::ranges::find(names, name) - names.begin());
    if (place == names.size()) type_error(format("{}() got an unexpected keyword argument '{}'", function, name));
    if (values_[place] != nullptr) type_error(format("{}() got multiple values for argument '{}'", function, name));
    values_[place] = &value;
  }
  for (size_t i = 0; i < required; ++i) {
    if (values_[i] == nullptr) type_error(format("{}() missing required argument '{}'", function, names_[i]));
  }
}

int64_t Parameters::count(size_t i, int64_t otherwise) const {
  return has(i) ? to_count(*values_[i], names_[i]) : otherwise;
}

const std::string& Parameters::text(size_t i) const {
  const Text* text = values_[i]->text();
  if (text == nullptr) {
    require_defined(*values_[i]);
    type_error(format("{}() argument '{}' must be str, not {}", function_, names_[i], type_name(*values_[i])));
  }
  return text->bytes;
}

std::string Parameters::text_or(size_t i, std::string_view otherwise) const {
  return has(i) ? text(i) : std::string(otherwise);
}

}  // namespace dflash::jinja
