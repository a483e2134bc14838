#include "deploy/cli/dump_chat.h"

#include <optional>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/json.h"
#include "common/text/chat_template/model_templates.h"
#include "common/text/chat_template/prepare_messages.h"
#include "common/text/chat_template/template_variables.h"
#include "deploy/cli/chat_row.h"
#include "deploy/cli/clock_option.h"
#include "deploy/cli/json_rows.h"

namespace dflash {
namespace {

Json spans_json(const std::vector<CharacterSpan>& spans) {
  Json list = Json::array();
  for (const CharacterSpan& span : spans) list.push_back({span.begin, span.end});
  return list;
}

class ChatRows {
 public:
  explicit ChatRows(const DumpChatOptions& options)
      : raw_(options.raw), clock_(clock_at(options.now)), variables_(parse_template_variables(options.variables)) {
    if (options.chat_template.empty()) return;
    model_ = ModelTemplates::read(options.chat_template);
    check_template_variables(variables_, *model_);
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
    Json variables = variables_;
    variables.update(row.at("context"));
    return {{"text", chat.render_plain(variables, options)}};
  }
  [[nodiscard]] Json chat(const Json& row) const {
    if (!row.is_object() || !row.contains("messages")) throw Error(ErrorKind::input_file, "expected `messages`");
    ChatOptions options = row_options(row, model(), variables_);
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
  Json variables_;
  std::optional<ModelTemplates> model_;
};

}  // namespace

size_t dump_chat(const DumpChatOptions& options) {
  const ChatRows rows(options);
  return answer_rows(options.input, [&rows](const Json& row) { return rows.answer(row); });
}

}  // namespace dflash
