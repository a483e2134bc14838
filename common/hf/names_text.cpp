#include "common/hf/names_text.h"

#include <algorithm>

#include "common/base/format.h"
#include "common/base/one_line.h"

namespace dflash {
namespace {

std::string printable(const std::string& name) {
  const std::string text = json_line(name, 100);
  return text.substr(1, text.ends_with('"') ? text.size() - 2 : text.npos);  // one that was cut has no second quote
}

}  // namespace

std::string names_text(const std::vector<std::string>& names) {
  constexpr size_t kShown = 3;
  std::vector<std::string> first;
  for (size_t i = 0; i < std::min(names.size(), kShown); ++i) first.push_back(printable(names[i]));
  const std::string text = format("{}: {}", names.size(), join(first, ", "));
  return names.size() <= kShown ? text : format("{} and {} more", text, names.size() - kShown);
}

}  // namespace dflash
