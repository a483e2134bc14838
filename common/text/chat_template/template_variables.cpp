#include "common/text/chat_template/template_variables.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/one_line.h"
#include "common/text/chat_template/builtins/functions.h"

namespace dflash {
namespace {

/// What ChatTemplate::render gives to every template.
constexpr const char* kOwn[] = {"messages", "tools", "add_generation_prompt", "bos_token", "eos_token"};

[[noreturn]] void refuse_word(const std::string& word, const std::string& why) {
  throw Error(ErrorKind::config, format("template variable {}: {}", one_line(word), why));
}

bool is_own(const std::string& name) {
  return std::ranges::find(kOwn, name) != std::end(kOwn) || jinja::find_function(name) != nullptr;
}

Json value_in(const std::string& word, size_t equals) {
  Json value;
  try {
    value = parse_json(word.substr(equals + 1), "value");
  } catch (const Error&) {
    refuse_word(word, R"(the value is not JSON; true, 3 and "a text", in quotes that the shell leaves standing, are)");
  }
  if (value.is_null()) refuse_word(word, "null says nothing; leave the variable out");
  return value;
}

/// The variables that a user may set, as "it reads a, b".
std::string readable(const std::set<std::string>& names) {
  std::vector<std::string> own;
  std::ranges::copy_if(names, std::back_inserter(own), [](const std::string& name) { return !is_own(name); });
  return own.empty() ? "it reads none but those that are always given" : format("it reads {}", join(own, ", "));
}

}  // namespace

bool is_variable_name(const std::string& name) {
  const auto fits = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  return !name.empty() && std::isdigit(static_cast<unsigned char>(name[0])) == 0 && std::ranges::all_of(name, fits);
}

Json parse_template_variables(const std::vector<std::string>& words) {
  std::map<std::string, Json> variables;
  for (const std::string& word : words) {
    const size_t equals = word.find('=');
    if (equals == std::string::npos) refuse_word(word, "expected NAME=JSON, as in enable_thinking=false");
    const std::string name = word.substr(0, equals);
    if (!is_variable_name(name)) refuse_word(word, "expected a name of letters, digits and _ before the =");
    if (variables.contains(name)) refuse_word(word, "set twice");
    variables[name] = value_in(word, equals);
  }
  Json object = Json::object();  // keeps the order of names, so that equal variables are equal objects
  for (auto& [name, value] : variables) object[name] = std::move(value);
  return object;
}

void check_template_variables(const Json& variables, const ModelTemplates& templates) {
  if (variables.empty()) return;
  const std::set<std::string> names = templates.variables();
  for (const auto& [name, value] : variables.items()) {
    if (name == "messages" || name == "tools") {
      throw Error(ErrorKind::config, format("template variable {}: each row brings its own; take it out", name));
    }
    if (is_own(name)) {
      throw Error(ErrorKind::config, format("template variable {}: it is always given; take it out", name));
    }
    if (names.contains(name)) continue;
    throw Error(ErrorKind::config,
                format("template variable {}: the chat template never reads it; {}", name, readable(names)));
  }
}

}  // namespace dflash
