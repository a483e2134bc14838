#include "common/data/answers/begun_thought.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace dflash {

std::string begun_thought(const Tokenizer& tokenizer, std::span<const int32_t> ids) {
  constexpr std::string_view kBegin = "<think>";
  constexpr size_t kMostIds = 8;
  const auto last = ids.last(std::min(ids.size(), kMostIds));
  const std::string text =
      tokenizer.decode(std::vector<uint32_t>(last.begin(), last.end()), /*skip_special_tokens=*/false);
  const size_t begin = text.rfind(kBegin);
  if (begin == std::string::npos) return "";
  const bool ends_there = text.find_first_not_of(" \t\r\n", begin + kBegin.size()) == std::string::npos;
  return ends_there ? text.substr(begin) : "";
}

}  // namespace dflash
