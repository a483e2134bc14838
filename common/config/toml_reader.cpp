#include "common/config/toml_reader.h"

#include "common/base/file.h"
#include "common/base/format.h"
#include "common/config/assign_value.h"
#include "common/config/dotted_keys.h"
#include "common/config/key_text.h"
#include "common/config/suggestions.h"

namespace dflash {
namespace {

std::string file_place(const std::filesystem::path& path, const toml::source_region& region) {
  return format("{}:{}:{}", path.string(), region.begin.line, region.begin.column);
}

toml::table parse_file(const std::filesystem::path& path) {
  try {
    const MappedFile file(path);
    if (const auto line = line_with_too_many_dots(file.text())) {
      throw config_error(format("{}:{}:1", path.string(), *line),
                         format("more than {} dots in one line: break it", kMostDotsPerLine));
    }
    return toml::parse(file.text(), std::string_view("run.toml"));
  } catch (const toml::parse_error& error) {
    throw config_error(file_place(path, error.source()), format("not TOML: {}", error.description()));
  } catch (const Error& error) {
    throw Error(ErrorKind::config, error.what());
  }
}

[[noreturn]] void refuse_outside_section(const std::string& name, const std::string& place) {
  if (find_section(name) != nullptr) {
    throw config_error(place, format("'{0}' is a section: write [{0}] once, and its keys below it", name));
  }
  throw config_error(place, format("unknown key {} outside of any section; did you mean '{}'?", name_text(name),
                                   suggest_key("", name)));
}

}  // namespace

void read_toml_file(ConfigDraft& draft, const std::filesystem::path& path) {
  const toml::table root = parse_file(path);
  const ValueSource source{[&](const toml::source_region& region) { return file_place(path, region); },
                           std::filesystem::absolute(path).parent_path()};
  for (const auto& [section, node] : root) {
    const std::string section_name(section.str());
    const std::string section_place = file_place(path, section.source());
    const toml::table* keys = node.as_table();
    if (keys == nullptr) refuse_outside_section(section_name, section_place);
    require_section(section_name, section_place);
    for (const auto& [key, value] : *keys) {
      assign_value(draft, section_name, std::string(key.str()), file_place(path, key.source()), value, source);
    }
  }
}

}  // namespace dflash
