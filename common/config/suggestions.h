// "did you mean": the valid name with the least edit distance to what was written.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace dflash {

/// Least number of inserted, deleted, replaced or swapped neighbouring characters that turns `a` into `b`.
[[nodiscard]] size_t edit_distance(std::string_view a, std::string_view b);

/// The first of the nearest; empty when `names` is.
[[nodiscard]] std::string nearest_name(std::string_view written, const std::vector<std::string>& names);

/// The section that was probably meant by "trian".
[[nodiscard]] std::string suggest_section(std::string_view section);

/// The key, as "section.key", that was probably meant by `key` in `section`: the same word in another section, else the
/// nearest of its own section. `section` may be empty: then the nearest of all.
[[nodiscard]] std::string suggest_key(std::string_view section, std::string_view key);

}  // namespace dflash
