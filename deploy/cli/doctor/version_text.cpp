#include "deploy/cli/doctor/version_text.h"

#include <algorithm>
#include <regex>

#include "common/base/one_line.h"

namespace dflash {

std::string version_in(const std::string& text) {
  static const std::regex version(R"(\d+(\.\d+)+)");
  std::smatch match;
  return std::regex_search(text, match, version) ? match.str() : "";
}

std::string major_of(const std::string& version) {
  return version.substr(0, version.find('.'));
}

std::string first_line(const std::string& text) {
  return one_line(text.substr(0, std::min(text.find('\n'), size_t{200})));
}

}  // namespace dflash
