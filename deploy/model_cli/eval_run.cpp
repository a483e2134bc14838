#include "deploy/model_cli/eval_run.h"

#include <cstdio>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/data/rows/row_file.h"
#include "common/eval/shown_text.h"
#include "deploy/model_cli/decode_rounds.h"
#include "deploy/model_cli/drafter_tensors.h"
#include "deploy/model_cli/named_type.h"

namespace dflash {
namespace {

/// The drafter must have been trained for this target: what can be compared is.
void check_pair(const ModelConfig& target, const DrafterConfig& drafter) {
  const auto check = [](const char* what, int64_t theirs, int64_t ours) {
    if (theirs == ours) return;
    throw Error(
        ErrorKind::input_file,
        format("the drafter was made for another target: its {} is {}, the target's is {}", what, ours, theirs));
  };
  check("vocab_size", target.vocab_size, drafter.vocab_size);
  check("hidden_size", target.hidden_size, drafter.hidden_size);
  check("num_target_layers", target.num_hidden_layers, drafter.num_target_layers);
}

DrafterModel load_drafter(const std::string& folder, const DrafterConfig& config, at::ScalarType type) {
  const auto tensors = load_drafter_tensors(folder, config, type);
  return {config, [&](const std::string& name) { return tensors.at(name); }};
}

DecodeLimits make_limits(const EvalSettings& settings, const DrafterConfig& drafter, const ModelConfig& target) {
  DecodeLimits limits{settings.max_new_tokens, settings.block_size.value_or(drafter.block_size), settings.stop_tokens};
  if (limits.block_size > drafter.block_size) {
    throw Error(ErrorKind::config, format("--block-size {} is larger than the drafter's block of {}", limits.block_size,
                                          drafter.block_size));
  }
  if (limits.stop_tokens.empty()) limits.stop_tokens = read_stop_tokens(settings.target, target);
  return limits;
}

/// Reads the prompts of all files, and says what each file is.
std::vector<std::string> read_files(PromptReader& reader, const EvalSettings& settings, std::vector<Prompt>& prompts) {
  const std::vector<std::string> paths = expand_inputs(settings.prompts);
  for (const std::string& path : paths) {
    const std::string description = reader.read(path, settings.prompt_files, prompts);
    if (settings.show_progress) std::fprintf(stderr, "%s\n", description.c_str());
  }
  return paths;
}

void show_texts(PromptReader& reader, size_t count, bool colour, EvalResult& result) {
  for (size_t i = 0; i < std::min(count, result.prompts.size()); ++i) {
    result.shown.push_back(shown_text(result.prompts[i], result.decoded[i], reader.tokenizer(), colour));
  }
}

}  // namespace

EvalResult run_eval(const EvalSettings& settings, bool colour) {
  const ModelConfig target_config = read_model_config(settings.target);
  const DrafterConfig drafter_config = read_drafter_config(settings.drafter);
  check_pair(target_config, drafter_config);
  EvalResult result;
  result.limits = make_limits(settings, drafter_config, target_config);
  PromptReader reader(
      {settings.target, settings.tokenizer, settings.chat_template, settings.template_variables, settings.now},
      target_config.vocab_size);
  if (settings.shown_texts > 0) (void)reader.tokenizer();  // its absence is told before the work
  const std::vector<std::string> paths = read_files(reader, settings, result.prompts);

  const at::ScalarType type = named_type(settings.dtype);
  ModelWeights weights(settings.target);
  const TargetModel target(target_config, weights, type, target_config.num_hidden_layers);
  const DrafterModel drafter = load_drafter(settings.drafter, drafter_config, type);
  const SpeculativeDecoder decoder(target, drafter, result.limits);
  const std::vector<GreedyVerdict> verdicts = decode_rounds(target, decoder, settings, reader, result);
  const int64_t block_size = result.limits.block_size;
  result.report = make_report(result.prompts, result.decoded, verdicts, block_size);
  result.files = make_file_reports(paths, result.prompts, result.decoded, verdicts, block_size);
  show_texts(reader, settings.shown_texts, colour, result);
  return result;
}

}  // namespace dflash
