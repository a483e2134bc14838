// Variables that a user sets for a chat template: enable_thinking, date_string, documents, ...
//
//   const Json variables = parse_template_variables({"enable_thinking=false", R"(date_string="26 Jul 2024")"});
//   check_template_variables(variables, templates);   // a name that the template never reads is a typing error
//   options.extra = variables;                        // of ChatOptions
//
// Threading: functions only.
#pragma once

#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/text/chat_template/model_templates.h"

namespace dflash {

/// The option --template-variable, as all commands have it.
inline constexpr const char* kTemplateVariableHelp =
    "NAME=JSON for the chat template, as in enable_thinking=false; may be repeated";

/// Words NAME=JSON as an object by name, in the order of names. Error{config} for another word, a name that no template
/// could read, a value that is no JSON or null, and a name that stands there twice.
[[nodiscard]] Json parse_template_variables(const std::vector<std::string>& words);

/// True for letters, digits and _, a digit not first: what a template can read.
[[nodiscard]] bool is_variable_name(const std::string& name);

/// Error{config} in one line for a variable that the template never reads, with those that it does, and for one that is
/// given by the system or by each row: messages, tools, add_generation_prompt, bos_token, eos_token, functions.
void check_template_variables(const Json& variables, const ModelTemplates& templates);

}  // namespace dflash
