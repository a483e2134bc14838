// The --template-variable words of a command.
#pragma once

#include <string>
#include <vector>

#include "common/base/json.h"

namespace dflash {

/// Words NAME=VALUE as an object by name; a value is JSON, or else a text. Error{config} for another word.
[[nodiscard]] Json template_variables(const std::vector<std::string>& words);

}  // namespace dflash
