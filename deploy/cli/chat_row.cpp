#include "deploy/cli/chat_row.h"

#include <algorithm>

namespace dflash {
namespace {

/// What a row may hold beside the template's variables: its own settings, and what others expect of it.
constexpr const char* kNoVariables[] = {"messages",
                                        "tools",
                                        "add_generation_prompt",
                                        "bos_token",
                                        "eos_token",
                                        "template",
                                        "chat",
                                        "name",
                                        "expected",
                                        "expected_raw",
                                        "error",
                                        "error_kind",
                                        "error_raw",
                                        "error_raw_kind",
                                        "assistant_spans",
                                        "marker_spans",
                                        "rule",
                                        "spans_match_turns",
                                        "tokenizer",
                                        "text",
                                        "spans",
                                        "input_ids",
                                        "loss_mask",
                                        "supervised",
                                        "prefix_rule_mask"};

bool is_variable(const std::string& key) {
  return std::ranges::none_of(kNoVariables, [&key](const char* other) { return key == other; });
}

/// A token of the row, else of the model; null is none.
std::string token_of(const Json& row, const char* key, const std::string& otherwise) {
  if (!row.contains(key)) return otherwise;
  return row.at(key).is_string() ? row.at(key).get<std::string>() : "";
}

}  // namespace

ChatOptions row_options(const Json& row, const ModelTemplates& model, const Json& variables) {
  ChatOptions options;
  options.extra = variables;
  options.tools = row.value("tools", Json());
  options.add_generation_prompt = row.value("add_generation_prompt", Json(false)) == Json(true);
  options.bos_token = token_of(row, "bos_token", model.bos_token());
  options.eos_token = token_of(row, "eos_token", model.eos_token());
  for (const auto& [key, value] : row.items()) {
    if (is_variable(key)) options.extra[key] = value;
  }
  return options;
}

}  // namespace dflash
