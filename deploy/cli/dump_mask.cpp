#include "deploy/cli/dump_mask.h"

#include "common/base/error.h"
#include "common/text/chat_template/prepare_messages.h"
#include "common/text/chat_template/template_variables.h"
#include "common/text/loss_mask/loss_mask.h"
#include "deploy/cli/chat_row.h"
#include "deploy/cli/clock_option.h"
#include "deploy/cli/json_rows.h"

namespace dflash {
namespace {

Json answer(const MaskedChat& masked) {
  return {{"input_ids", masked.ids},
          {"loss_mask", masked.loss_mask},
          {"text", masked.turns.text},
          {"rewritten_turns", masked.turns.rewritten},
          {"unplaced_turns", masked.turns.unplaced}};
}

}  // namespace

size_t dump_mask(const DumpMaskOptions& options) {
  const Tokenizer tokenizer = Tokenizer::read(options.tokenizer);
  const ModelTemplates model = ModelTemplates::read(options.chat_template);
  const Json variables = parse_template_variables(options.variables);
  check_template_variables(variables, model);
  const auto clock = clock_at(options.now);
  const MaskRules rules{.supervise = parse_supervise(options.supervise), .reasoning = options.reasoning};
  TokenizerScratch scratch;
  return answer_rows(options.input, [&](const Json& row) {
    if (!row.is_object() || !row.contains("messages")) throw Error(ErrorKind::input_file, "expected `messages`");
    ChatOptions chat = row_options(row, model, variables);
    chat.clock = clock;
    try {
      return answer(mask_chat(tokenizer, scratch, model.for_tools(!chat.tools.is_null()),
                              prepare_messages(row.at("messages")), chat, rules));
    } catch (const TemplateError& error) {
      throw Error(ErrorKind::input_file, error.reason());  // comparable: without our file and line
    }
  });
}

}  // namespace dflash
