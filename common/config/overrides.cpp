#include "common/config/overrides.h"

#include "common/base/format.h"
#include "common/config/assign_value.h"
#include "common/config/dotted_keys.h"
#include "common/config/key_text.h"

namespace dflash {
namespace {

/// A table with the one key "value".
toml::table parse_value(const std::string& text) {
  if (line_with_too_many_dots(text)) return toml::table{{"value", text}};
  try {
    toml::table table = toml::parse(std::string_view("value = " + text), std::string_view("--set"));
    if (table.size() == 1) return table;  // else VALUE held a line break and more keys: a string
  } catch (const toml::parse_error&) {
    // As documented: what is no TOML is a string.
  }
  return toml::table{{"value", text}};
}

}  // namespace

void apply_override(ConfigDraft& draft, const std::string& text) {
  const std::string line = name_text(text);
  const std::string place = "--set " + line.substr(1, line.size() - 2);
  const size_t equals = text.find('=');
  const size_t dot = text.find('.');
  if (equals == std::string::npos || dot == std::string::npos || dot > equals) {
    throw config_error(place, "expected SECTION.KEY=VALUE, as in train.lr=1e-3");
  }
  const ValueSource source{[&](const toml::source_region&) { return place; }, std::filesystem::current_path()};
  const toml::table value = parse_value(text.substr(equals + 1));
  assign_value(draft, text.substr(0, dot), text.substr(dot + 1, equals - dot - 1), place, *value.get("value"), source);
}

}  // namespace dflash
