#include "common/config/suggestions.h"

#include <algorithm>

#include "common/config/schema.h"

namespace dflash {

size_t edit_distance(std::string_view a, std::string_view b) {
  // Optimal string alignment: cost[i][j] is the distance between the first i characters of a and the first j of b.
  std::vector<std::vector<size_t>> cost(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      cost[i][j] = std::min({replace, cost[i - 1][j] + 1, cost[i][j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

std::string nearest_name(std::string_view written, const std::vector<std::string>& names) {
  const std::string_view start =
      written.substr(0, 64);  // no valid name is longer: a hostile one is not compared in full
  const auto nearest = std::min_element(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return edit_distance(start, a) < edit_distance(start, b);
  });
  return nearest == names.end() ? "" : *nearest;
}

std::string suggest_section(std::string_view section) {
  std::vector<std::string> names;
  for (const SettingKey& key : setting_keys()) names.push_back(key.section->name());
  return nearest_name(section, names);
}

std::string suggest_key(std::string_view section, std::string_view key) {
  std::vector<std::string> names;
  std::vector<std::string> full_names;
  for (const SettingKey& candidate : setting_keys()) {
    if (candidate.field->name() == key) return candidate.name();
    if (!section.empty() && candidate.section->name() != section) continue;
    names.push_back(candidate.field->name());
    full_names.push_back(candidate.name());
  }
  const std::string nearest = nearest_name(key, names);
  return full_names[static_cast<size_t>(std::find(names.begin(), names.end(), nearest) - names.begin())];
}

}  // namespace dflash
