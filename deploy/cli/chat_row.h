// A row of `dflash dump chat` and `dflash dump mask`: messages, settings of the template, and its variables.
#pragma once

#include "common/text/chat_template/model_templates.h"

namespace dflash {

/// tools, add_generation_prompt, bos_token and eos_token of the row, else of the model; the row's other keys are
/// variables of the template, but for those in which golden rows say what they expect. A row's variable goes before one
/// of the same name in `variables`, those of all rows.
[[nodiscard]] ChatOptions row_options(const Json& row, const ModelTemplates& model, const Json& variables);

}  // namespace dflash
