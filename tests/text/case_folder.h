// Conversations with the templates of models, as golden/text/templates has them.
#pragma once

#include <map>

#include "common/base/file.h"
#include "common/text/chat_template/chat_template.h"
#include "tests/text/chat_options.h"
#include "tests/text/golden_text.h"

namespace dflash::test {

/// A folder with templates.json, *.jinja and the cases.
class CaseFolder {
 public:
  explicit CaseFolder(std::filesystem::path folder)
      : folder_(std::move(folder)), index_(read_json_file(folder_ / "templates.json")) {}

  const ChatTemplate& chat(const std::string& name) {
    const auto place = templates_.find(name);
    if (place != templates_.end()) return place->second;
    const MappedFile file(folder_ / (name + ".jinja"));
    return templates_.emplace(name, ChatTemplate::parse(file.text(), name + ".jinja")).first->second;
  }

  [[nodiscard]] ChatOptions options(const Json& row) const {
    const Json& tokens = index_.at(row.at("template").get<std::string>());
    ChatOptions options = options_at_fixed_time();
    if (tokens.at("bos_token").is_string()) options.bos_token = tokens.at("bos_token");
    if (tokens.at("eos_token").is_string()) options.eos_token = tokens.at("eos_token");
    options.tools = row.at("tools");
    options.add_generation_prompt = row.at("add_generation_prompt");
    if (row.contains("enable_thinking")) options.extra["enable_thinking"] = row.at("enable_thinking");
    return options;
  }

 private:
  std::filesystem::path folder_;
  Json index_;
  std::map<std::string, ChatTemplate> templates_;
};

inline std::string label(const Json& row) {
  return row.at("template").get<std::string>() + "/" + row.at("chat").get<std::string>();
}

inline Json spans_json(const std::vector<CharacterSpan>& spans) {
  Json list = Json::array();
  for (const CharacterSpan& span : spans) list.push_back({span.begin, span.end});
  return list;
}

}  // namespace dflash::test
