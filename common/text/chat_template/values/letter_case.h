// Upper, lower and title case of texts, as Python maps them: whole mappings (ß, ligatures), final sigma.
//
// Tables: utf8proc for one to one, special_case.inc (made by make_special_case.py) for what becomes several.
//
// Threading: functions only.
#pragma once

#include <string>
#include <string_view>

namespace dflash::jinja {

[[nodiscard]] std::string upper_case(std::string_view text);
[[nodiscard]] std::string lower_case(std::string_view text);
[[nodiscard]] std::string title_case(std::string_view text);   ///< each word: str.title()
[[nodiscard]] std::string capitalized(std::string_view text);  ///< the first character alone
[[nodiscard]] std::string swapped_case(std::string_view text);

/// str.isupper(), str.islower(): a cased character, and none of the other case.
[[nodiscard]] bool is_upper_case(std::string_view text);
[[nodiscard]] bool is_lower_case(std::string_view text);

}  // namespace dflash::jinja
