// The work of an evaluation: all prompts decoded and checked, then the questions that wait for their answers.
#pragma once

#include <vector>

#include "deploy/model_cli/eval_run.h"

namespace dflash {

/// Fills result.decoded for result.prompts, which grow by later questions round by round, and returns a verdict for
/// each. Prompts are taken in groups by settings.threads threads; the result is the same for any number of them.
[[nodiscard]] std::vector<GreedyVerdict> decode_rounds(const TargetModel& target, const SpeculativeDecoder& decoder,
                                                       const EvalSettings& settings, PromptReader& reader,
                                                       EvalResult& result);

}  // namespace dflash
