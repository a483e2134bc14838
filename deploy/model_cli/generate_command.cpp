#include "deploy/model_cli/generate_command.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"
#include "common/data/rows/ledger_file.h"
#include "common/text/chat_template/template_variables.h"
#include "deploy/model_cli/generate_run.h"
#include "deploy/model_cli/number_range.h"

namespace dflash {
namespace {

constexpr const char* kHelp = R"(
A drafter learns what its target says, so the answers it is trained on should be the target's own. Every question
of a row is asked behind the new answers to those before it; the row's own answers are not used. Answers are greedy
unless --temperature or --sample-as-model says otherwise: do_sample of generation_config.json is not taken silently.

Output: a line of JSON for each row, in the order of the rows, with
  id, tools   as in the row
  messages    the row's, with the target's answers, each with finish_reason: stop, or length for one that a limit cut
  row         the number of the row among all rows, from 0
An answer's text lacks special tokens; thoughts (<think>) stay in it. A conversation ends before the first result of a
tool, behind an answer that was cut, and where no room is left. Rows that cannot be used are counted by reason.

Stopped or killed, the same command goes on behind the last whole line; FILE.settings.json beside the output keeps
what its lines depend on, and another model, other prompts or other settings are refused. A drawn token depends on
seed, row, turn and place alone. --batch and --threads may differ: they can alter a text only where two choices are
equal but for rounding.)";

struct GenerateOptions {
  GenerateSettings settings;
  std::string format = "auto";
  std::vector<std::string> variables;
};

/// How rows become token ids.
void add_encoding(CLI::App* generate, GenerateOptions& options) {
  GenerateSettings& settings = options.settings;
  generate->add_option("--tokenizer", settings.tokenizer, "a tokenizer.json (default: the target's)");
  generate->add_option("--template", settings.chat_template,
                       "a Jinja file, a tokenizer_config.json or a model's folder (default: the target's)");
  generate->add_option("--format", options.format, "auto, or " + row_shape_names())->capture_default_str();
  generate->add_option("--template-variable", options.variables, kTemplateVariableHelp)
      ->allow_extra_args(false);  // what follows may be a file of prompts
  generate->add_option("--now", settings.now, "the time that templates see, YYYY-MM-DD HH:MM:SS")
      ->capture_default_str();
}

void add_choice(CLI::App* generate, GenerateSettings& settings) {
  auto* temperature = generate->add_option("--temperature", settings.temperature, "0 is greedy (default: 0)");
  temperature->check(number_range(0, 100));
  auto* top_p = generate->add_option("--top-p", settings.top_p, "draw from the fewest tokens that are this probable");
  top_p->check(number_range(1e-6, 1));
  auto* top_k = generate->add_option("--top-k", settings.top_k, "draw from the k best tokens, 0 for all");
  top_k->check(CLI::Range(0, 1 << 30));
  generate->add_option("--seed", settings.seed, "of all drawn tokens (default: 0)");
  generate
      ->add_flag("--sample-as-model", settings.sample_as_model,
                 "temperature, top-p and top-k of the target's generation_config.json")
      ->excludes(temperature)
      ->excludes(top_p)
      ->excludes(top_k);
  generate
      ->add_option("--stop-token", settings.stop_tokens,
                   "token id that ends an answer; may be repeated; replaces the target folder's")
      ->allow_extra_args(false);  // what follows may be a file of prompts
}

void add_limits(CLI::App* generate, GenerateSettings& settings) {
  generate->add_option("--max-new-tokens", settings.max_new_tokens, "most tokens of an answer")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  generate
      ->add_option("--max-context", settings.max_context,
                   "most tokens of a conversation (default: the target's positions)")
      ->check(CLI::Range(2, 1 << 24));
  generate->add_option("--batch", settings.batch, "texts side by side")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  generate->add_option("--dtype", settings.dtype, "what the target computes in")
      ->check(CLI::IsMember({"float32", "bfloat16"}))
      ->capture_default_str();
  generate->add_option("--threads", settings.threads, "CPU threads (default: the cores)")->check(CLI::Range(1, 1024));
}

void generate(const GenerateSettings& settings, int& exit_code) {
  std::vector<std::string> others = settings.prompts;
  others.push_back(settings.output);
  check_ledger_file(settings.ledger, others);
  const GenerateResult result = run_generate(settings);
  std::fputs(result_text(result).c_str(), stderr);
  write_ledger_file(settings.ledger, result_json(result));
  if (!result.stopped) return;
  std::fprintf(stderr, "stopped by a signal; the same command goes on\n");
  const bool saved = result.rows_before + result.counts.rows_done > 0;
  exit_code = saved ? kExitStoppedAndSaved : dflash::exit_code(ErrorKind::stopped);
}

}  // namespace

void add_generate_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<GenerateOptions>();
  GenerateSettings& settings = options->settings;
  CLI::App* command = app.add_subcommand("generate", "The target's own answers to prompts, to train a drafter on");
  command
      ->add_option("prompts", settings.prompts,
                   "files of rows, plain, .gz or .zst; patterns in quotes; - is standard input")
      ->required();
  command->add_option("--target", settings.target, "Hugging Face folder of the target")->required();
  command->add_option("--output", settings.output, "JSON lines; a run that was stopped goes on in it")->required();
  add_encoding(command, *options);
  add_choice(command, settings);
  add_limits(command, settings);
  command->add_option("--ledger", settings.ledger, "write what became of the rows to this file as JSON");
  command->footer(kHelp);
  command->callback([options, &exit_code] {
    if (options->format != "auto") options->settings.shape = parse_row_shape(options->format);
    options->settings.template_variables = parse_template_variables(options->variables);
    generate(options->settings, exit_code);
  });
}

}  // namespace dflash
