#include "deploy/model_cli/eval_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"
#include "common/base/terminal_colour.h"
#include "common/eval/shown_text.h"
#include "common/text/chat_template/template_variables.h"
#include "deploy/model_cli/eval_run.h"

namespace dflash {
namespace {

constexpr const char* kHelp =
    "\nPrompts are rows of JSON lines, plain, .gz, .zst or Parquet:\n"
    "  raw      messages, conversations, prompt, instruction, text: up to the last message of a user or a tool, "
    "rendered\n"
    "           with the target's chat template and a generation prompt, encoded with its tokenizer.json. A row of\n"
    "           several questions without answers (MT-Bench) is asked one by one, each behind the answers before it\n"
    "  ready    prompt_ids: a list of token ids; or input_ids and loss_mask: those before the last supervised run\n"
    "`kind` and `id` of a row are optional. The first row that cannot be used ends the evaluation.";

struct EvalOptions {
  EvalSettings settings;
  std::string format = "auto";
  std::vector<std::string> variables;
  std::string colour = "auto";
  std::string trace;
  bool json = false;
};

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

void print_texts(const EvalResult& result, bool colour) {
  if (result.shown.empty()) return;
  print(shown_legend(colour) + "\n");
  for (const std::string& text : result.shown) print(text + "\n");
}

void print_result(const EvalOptions& options) {
  EvalSettings settings = options.settings;
  settings.show_progress = !options.json;
  if (options.format != "auto") settings.prompt_files.shape = parse_row_shape(options.format);
  settings.template_variables = parse_template_variables(options.variables);
  const bool colour = wants_colour(options.colour);
  const EvalResult result = run_eval(settings, colour);
  if (!options.trace.empty()) {
    write_file_atomic(options.trace, trace_json(result.decoded, result.limits).dump(1) + "\n");
  }
  if (options.json) {
    print(file_reports_json(result.report, result.files).dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
    return;
  }
  print_texts(result, colour);
  print(file_reports_text(result.report, result.files));
}

void add_prompt_options(CLI::App& eval, EvalOptions& options) {
  EvalSettings& settings = options.settings;
  eval.add_option("--prompts", settings.prompts, "Files of prompts; patterns in quotes; - is standard input")
      ->required();
  eval.add_option("--format", options.format, "Shape of the rows: auto, or " + row_shape_names())
      ->capture_default_str();
  eval.add_option("--max-prompts", settings.prompt_files.most_prompts, "Most rows of each file (default: all)")
      ->check(CLI::PositiveNumber);
  eval.add_option("--tokenizer", settings.tokenizer, "tokenizer.json for raw prompts (default: the target folder's)");
  eval.add_option("--template", settings.chat_template,
                  "Chat template: a Jinja file, a tokenizer_config.json or a model's folder (default: the target's)");
  eval.add_option("--template-variable", options.variables, kTemplateVariableHelp)->allow_extra_args(false);
  eval.add_option("--now", settings.now, "The time that templates see, YYYY-MM-DD HH:MM:SS")->capture_default_str();
}

void add_decoding_options(CLI::App& eval, EvalSettings& settings) {
  eval.add_option("--max-new-tokens", settings.max_new_tokens, "Most new tokens for a prompt")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  eval.add_option("--block-size", settings.block_size,
                  "Tokens of a block, 1 is plain decoding (default: the drafter's)")
      ->check(CLI::Range(1, 256));
  eval.add_option("--stop-token", settings.stop_tokens,
                  "Token id that ends a text; may be repeated; replaces the target folder's");
  eval.add_option("--dtype", settings.dtype, "What both models compute in")
      ->check(CLI::IsMember({"float32", "bfloat16"}))
      ->capture_default_str();
  eval.add_option("--threads", settings.threads, "CPU threads (default: the cores)")->check(CLI::Range(1, 1024));
}

void add_output_options(CLI::App& eval, EvalOptions& options) {
  CLI::Option* show = eval.add_option("--show", options.settings.shown_texts,
                                      "Print the first N texts, accepted drafted tokens in colour");
  eval.add_option("--color", options.colour, "Colours of --show; without them accepted tokens stand in brackets")
      ->check(CLI::IsMember({"auto", "always", "never"}))
      ->capture_default_str();
  eval.add_option("--trace", options.trace, "Write every decoding step of every prompt to this JSON file");
  eval.add_flag("--json", options.json, "Print only JSON")->excludes(show);
}

}  // namespace

void add_eval_command(CLI::App& app) {
  auto options = std::make_shared<EvalOptions>();
  EvalSettings& settings = options->settings;
  CLI::App* eval = app.add_subcommand(
      "eval", "Greedy speculative decoding of prompt sets: acceptance length by file and kind, and the lossless check");
  eval->add_option("--target", settings.target, "Hugging Face folder of the target")->required();
  eval->add_option("--drafter", settings.drafter, "Folder of the drafter: config.json and model.safetensors")
      ->required();
  add_prompt_options(*eval, *options);
  add_decoding_options(*eval, settings);
  add_output_options(*eval, *options);
  eval->footer(kHelp);
  eval->callback([options] { print_result(*options); });
}

}  // namespace dflash
