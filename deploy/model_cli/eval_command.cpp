#include "deploy/model_cli/eval_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "common/base/file.h"
#include "deploy/model_cli/eval_run.h"

namespace dflash {
namespace {

struct EvalOptions {
  EvalSettings settings;
  std::string trace;
  bool json = false;
};

void print_result(const EvalOptions& options) {
  EvalSettings settings = options.settings;
  settings.show_progress = !options.json;
  const EvalResult result = run_eval(settings);
  if (!options.trace.empty())
    write_file_atomic(options.trace, trace_json(result.decoded, result.limits).dump(1) + "\n");
  const std::string text = options.json ? report_json(result.report).dump(1) + "\n" : report_text(result.report);
  std::fputs(text.c_str(), stdout);
}

}  // namespace

void add_eval_command(CLI::App& app) {
  auto options = std::make_shared<EvalOptions>();
  EvalSettings& settings = options->settings;
  CLI::App* eval = app.add_subcommand(
      "eval", "Greedy speculative decoding of a prompt set: acceptance length by kind, and the lossless check");
  eval->add_option("--target", settings.target, "Hugging Face folder of the target")->required();
  eval->add_option("--drafter", settings.drafter, "Folder of the drafter: config.json and model.safetensors")
      ->required();
  eval->add_option("--prompts", settings.prompts, "JSONL rows {\"prompt_ids\": [...], \"kind\": \"...\"}")->required();
  eval->add_option("--max-new-tokens", settings.max_new_tokens, "Most new tokens for a prompt")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  eval->add_option("--block-size", settings.block_size,
                   "Tokens of a block, 1 is plain decoding (default: the drafter's)")
      ->check(CLI::Range(1, 256));
  eval->add_option("--stop-token", settings.stop_tokens,
                   "Token id that ends a text; may be repeated; replaces the target folder's");
  eval->add_option("--dtype", settings.dtype, "What both models compute in")
      ->check(CLI::IsMember({"float32", "bfloat16"}))
      ->capture_default_str();
  eval->add_option("--threads", settings.threads, "CPU threads (default: the cores)")->check(CLI::Range(1, 1024));
  eval->add_option("--trace", options->trace, "Write every decoding step of every prompt to this JSON file");
  eval->add_flag("--json", options->json, "Print only JSON");
  eval->callback([options] { print_result(*options); });
}

}  // namespace dflash
