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

constexpr int kDeepest = 16;
constexpr size_t kMostBytes = 65536;  // all settings of a run travel in one message

[[noreturn]] void refuse_word(const std::string& word, const std::string& why) {
  constexpr size_t kShown = 80;
  const std::string shown = one_line(word.substr(0, kShown)) + (word.size() > kShown ? "..." : "");
  throw Error(ErrorKind::config, format("template variable {}: {}", shown, why));
}

bool is_own(const std::string& name) {
  return std::ranges::find(kOwn, name) != std::end(kOwn) || jinja::find_function(name) != nullptr;
}

/// The same with the names of tables in their order, so that equal variables are equal text. What run.toml could not
/// hold is refused: then all ways to set a variable say the same.
Json in_order(const std::string& word, const Json& value, int depth) {
  if (depth > kDeepest) refuse_word(word, format("lists and tables lie more than {} deep in each other", kDeepest));
  if (value.is_null()) refuse_word(word, "null says nothing; leave it out");
  if (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX) refuse_word(word, "an integer of over 63 bits");
  if (!value.is_structured()) return value;
  if (value.is_array()) {
    Json list = Json::array();
    for (const Json& element : value) list.push_back(in_order(word, element, depth + 1));
    return list;
  }
  std::map<std::string, Json> members;
  for (const auto& [name, member] : value.items()) members[name] = in_order(word, member, depth + 1);
  return members;
}

Json value_in(const std::string& word, size_t equals) {
  if (word.size() > kMostBytes) refuse_word(word, format("longer than {} bytes", kMostBytes));
  Json value;
  try {
    value = parse_json(word.substr(equals + 1), "value");
  } catch (const Error&) {
    refuse_word(word, R"(the value is not JSON; true, 3 and "a text", in quotes that the shell leaves standing, are)");
  }
  return in_order(word, value, 0);
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
  return variables;  // in the order of names, so that equal variables are equal objects
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
