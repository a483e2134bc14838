#include "deploy/cli/dump_chat.h"

#include <algorithm>
#include <optional>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/json.h"
#include "common/text/chat_template/model_templates.h"
#include "common/text/chat_template/prepare_messages.h"
#include "deploy/cli/clock_option.h"
#include "deploy/cli/json_rows.h"

namespace dflash {
namespace {

/// What a row may hold beside the template's variables: its own settings, and what others expect of it.
constexpr const char* kNoVariables[] = {"messages",     "tools",          "add_generation_prompt",
                                        "bos_token",    "eos_token",      "template",
                                        "chat",         "name",           "expected",
                                        "expected_raw", "error",          "error_kind",
                                        "error_raw",    "error_raw_kind", "assistant_spans",
                                        "marker_spans", "rule",           "spans_match_turns"};

bool is_variable(const std::string& key) {
  return std::ranges::none_of(kNoVariables, [&key](const char* other) { return key == other; });
}

/// A token of the row, else of the model; null is none.
std::string token_of(const Json& row, const char* key, const std::string& otherwise) {
  if (!row.contains(key)) return otherwise;
  return row.at(key).is_string() ? row.at(key).get<std::string>() : "";
}

ChatOptions row_options(const Json& row, const ModelTemplates& model) {
  ChatOptions options;
  options.tools = row.value("tools", Json());
  options.add_generation_prompt = row.value("add_generation_prompt", Json(false)) == Json(true);
  options.bos_token = token_of(row, "bos_token", model.bos_token());
  options.eos_token = token_of(row, "eos_token", model.eos_token());
  for (const auto& [key, value] : row.items()) {
    if (is_variable(key)) options.extra[key] = value;
  }
  return options;
}

Json spans_json(const std::vector<CharacterSpan>& spans) {
  Json list = Json::array();
  for (const CharacterSpan& span : spans) list.push_back({span.begin, span.end});
  return list;
}

class ChatRows {
 public:
  explicit ChatRows(const DumpChatOptions& options) : raw_(options.raw), clock_(clock_at(options.now)) {
    if (!options.chat_template.empty()) model_ = ModelTemplates::read(options.chat_template);
  }

  Json answer(const Json& row) const {
    try {
      return raw_ && row.is_object() && row.contains("context") ? plain(row) : chat(row);
    } catch (const TemplateError& error) {
      throw Error(ErrorKind::input_file, error.reason());  // comparable: without our file and line
    }
  }

 private:
  [[nodiscard]] const ModelTemplates& model() const {
    if (!model_) throw Error(ErrorKind::input_file, "the row has no `template` and --template is not given");
    return *model_;
  }
  [[nodiscard]] Json plain(const Json& row) const {
    ChatOptions options;
    options.clock = clock_;
    const auto chat = row.contains("template") ? ChatTemplate::parse(row_text(row, "template"), "template")
                                               : model().for_tools(false);
    return {{"text", chat.render_plain(row.at("context"), options)}};
  }
  [[nodiscard]] Json chat(const Json& row) const {
    if (!row.is_object() || !row.contains("messages")) throw Error(ErrorKind::input_file, "expected `messages`");
    ChatOptions options = row_options(row, model());
    options.clock = clock_;
    const ChatTemplate& chat = model().for_tools(!options.tools.is_null());
    const RenderedChat rendered =
        chat.render(raw_ ? row.at("messages") : prepare_messages(row.at("messages")), options);
    Json answer{{"text", rendered.text}};
    if (chat.marks_generation()) answer["generated"] = spans_json(rendered.generated);
    return answer;
  }

  bool raw_;
  std::function<std::tm()> clock_;
  std::optional<ModelTemplates> model_;
};

}  // namespace

size_t dump_chat(const DumpChatOptions& options) {
  const ChatRows rows(options);
  return answer_rows(options.input, [&rows](const Json& row) { return rows.answer(row); });
}

}  // namespace dflash
