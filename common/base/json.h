// JSON for small files: configurations, indexes, results. The one door to nlohmann::json; key order is kept.
//
// Large streams of rows (JSONL) are read elsewhere, with simdjson.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

namespace dflash {

using Json = nlohmann::ordered_json;

/// Parses hostile text. Error{input_file} naming `source` (a path, for the message) when the text is not JSON, holds
/// the same key twice in one object, or nests deeper than 64.
[[nodiscard]] Json parse_json(std::string_view text, const std::string& source);

/// Reads and parses a file of at most 64 MiB. Error{input_file} when it is missing, too large or not JSON.
[[nodiscard]] Json read_json_file(const std::filesystem::path& path);

}  // namespace dflash
