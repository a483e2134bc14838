#include "deploy/model_cli/template_variables.h"

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {

Json template_variables(const std::vector<std::string>& words) {
  Json variables = Json::object();
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error(ErrorKind::config,
                  format("--template-variable {}: expected NAME=VALUE, as in enable_thinking=false", word));
    }
    const std::string value = word.substr(equals + 1);
    const Json json = Json::parse(value, nullptr, /*allow_exceptions=*/false);
    variables[word.substr(0, equals)] = json.is_discarded() ? Json(value) : json;
  }
  return variables;
}

}  // namespace dflash
