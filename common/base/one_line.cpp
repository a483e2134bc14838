#include "common/base/one_line.h"

#include <algorithm>

namespace dflash {

std::string one_line(std::string text) {
  std::ranges::replace_if(text, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7f'; }, '?');
  return text;
}

std::string json_line(const Json& value, size_t most_bytes) {
  const std::string text = value.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
  return text.size() <= most_bytes ? text : text.substr(0, most_bytes) + "...";
}

}  // namespace dflash
