// What --help-config prints: everything the schema says about each key.
#include <algorithm>

#include "common/base/format.h"
#include "common/config/key_text.h"
#include "common/config/run_config.h"
#include "common/config/schema.h"

namespace dflash {
namespace {

constexpr size_t kColumns = 98;

constexpr size_t kKeyIndent = 2, kTextIndent = 6;

/// `text` in lines of at most kColumns; the first behind `first_indent` blanks, the others behind kTextIndent.
std::string wrapped(const std::string& text, size_t first_indent) {
  std::string lines;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t indent = begin == 0 ? first_indent : kTextIndent;
    size_t end = std::min(text.size(), begin + kColumns - indent);
    if (end < text.size()) {
      const size_t blank = text.rfind(' ', end);
      if (blank != std::string::npos && blank > begin) end = blank;
    }
    lines += std::string(indent, ' ') + text.substr(begin, end - begin) + "\n";
    begin = text.find_first_not_of(' ', end);
    if (begin == std::string::npos) break;
  }
  return lines;
}

std::string default_text(const SettingKey& key) {
  if (key.field->options().GetExtension(required_key)) return "required";
  const RunConfig defaults;
  const auto& section = defaults.GetReflection()->GetMessage(defaults, key.section);
  return "default " + value_text(section, *key.field);
}

}  // namespace

std::string config_help() {
  std::string help =
      "Keys of run.toml; on the command line --set SECTION.KEY=VALUE, where a bare word is a string.\n"
      "Relative paths count from the folder of run.toml, on the command line from the working directory.\n"
      "Keys that are 'free on resume' may change when a run is resumed; the others would alter it.\n";
  std::string section;
  for (const SettingKey& key : setting_keys()) {
    if (key.section->name() != section) {
      section = key.section->name();
      help += format("\n[{}]\n", section);
    }
    const std::string range = range_text(*key.field);
    const char* free = key.field->options().GetExtension(free_on_resume) ? ", free on resume" : "";
    help += wrapped(format("{}  ({}, {}{}{}{})", key.field->name(), type_text(*key.field), default_text(key),
                           range.empty() ? "" : ", ", range, free),
                    kKeyIndent);
    help += wrapped(key_comment(key), kTextIndent);
  }
  return help;
}

}  // namespace dflash
