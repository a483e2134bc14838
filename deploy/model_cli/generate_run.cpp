#include "deploy/model_cli/generate_run.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <thread>

#include "common/base/amount_text.h"
#include "common/base/console.h"
#include "common/base/cores.h"
#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/stop_signal.h"
#include "common/hf/model_weights.h"
#include "deploy/model_cli/answer_threads.h"
#include "deploy/model_cli/named_type.h"

namespace dflash {
namespace {

using Clock = std::chrono::steady_clock;

/// Everything that is known before the weights are loaded: mistakes are told at once.
struct Plan {
  ModelConfig target;
  std::vector<int64_t> stop_tokens;
  Sampling sampling;
  int64_t max_context = 0;
  PromptEncoder encoder;
  PromptList prompts;
  PromptFacts facts;
};

std::vector<int64_t> stop_tokens_of(const GenerateSettings& settings, const ModelConfig& target) {
  std::vector<int64_t> tokens =
      settings.stop_tokens.empty() ? read_stop_tokens(settings.target, target) : settings.stop_tokens;
  for (const int64_t token : tokens) {
    if (token < 0 || token >= target.vocab_size) {
      throw Error(ErrorKind::config, format("--stop-token {}: the target has {} tokens", token, target.vocab_size));
    }
  }
  if (tokens.empty()) {
    throw Error(ErrorKind::config, format("neither config.json nor generation_config.json of {} names a token that "
                                          "ends an answer (eos_token_id); name it with --stop-token",
                                          settings.target));
  }
  return tokens;
}

Plan make_plan(const GenerateSettings& settings) {
  ModelConfig target = read_model_config(settings.target);
  std::vector<int64_t> stop_tokens = stop_tokens_of(settings, target);
  const Sampling sampling = make_sampling(settings);
  const int64_t max_context = make_max_context(settings, target);
  PromptEncoder encoder = PromptEncoder::read(
      {settings.target, settings.tokenizer, settings.chat_template, settings.template_variables, settings.now});
  PromptList prompts(expand_inputs(settings.prompts), settings.shape);
  PromptFacts facts = prompts.facts();
  return {std::move(target),  std::move(stop_tokens), sampling,        max_context,
          std::move(encoder), std::move(prompts),     std::move(facts)};
}

void tell_plan(const Plan& plan, int64_t rows_before, Console& console) {
  for (const std::string& description : plan.facts.descriptions) console.notice(description);
  const Sampling& sampling = plan.sampling;
  const std::string way =
      sampling.temperature == 0
          ? "greedy"
          : format("temperature {}, top-p {}, top-k {}, seed {}", sampling.temperature, sampling.top_p,
                   sampling.top_k == 0 ? "all" : format("{}", sampling.top_k), sampling.seed);
  console.notice(format("answers: {}; stop tokens {}", way, join(plan.stop_tokens, ", ")));
  if (rows_before > 0) console.notice(format("going on at row {}", rows_before));
}

class Progress {
 public:
  Progress(Console& console, std::optional<int64_t> rows, int64_t rows_before)
      : console_(console), rows_(rows), rows_before_(rows_before) {}

  void show(const AnswerCounts& counts, bool last) {
    const auto now = Clock::now();
    const double seconds = std::max(1e-9, std::chrono::duration<double>(now - start_).count());
    const int64_t done = rows_before_ + counts.rows_done;
    std::string line = rows_ ? format("rows {}/{} ({} %)", done, *rows_, 100 * done / std::max<int64_t>(1, *rows_))
                             : format("rows {}", done);
    line += format("  {} tok/s", rate_text(static_cast<double>(counts.new_tokens) / seconds));
    if (rows_ && counts.rows_done > 0) {
      const double each = seconds / static_cast<double>(counts.rows_done);
      line += format("  ETA {}", duration_text(each * static_cast<double>(*rows_ - done)));
    }
    console_.progress(line, now, last);
  }

 private:
  Console& console_;
  std::optional<int64_t> rows_;
  int64_t rows_before_;
  Clock::time_point start_ = Clock::now();
};

/// Error{input_file} when there are not that many.
void skip_rows(Plan& plan, int64_t rows, const std::string& output) {
  if (plan.facts.rows && rows > *plan.facts.rows) {
    throw Error(ErrorKind::input_file,
                format("{}: its last line is of row {}, but there are {} rows; name another output", output, rows - 1,
                       *plan.facts.rows));
  }
  plan.prompts.skip_to(rows);
}

/// Until all rows are answered or a signal comes; true for a signal.
bool answer_all(AnswerThreads& threads, AnswerQueue& queue, Progress& progress) {
  bool stopped = false;
  while (threads.at_work()) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (!stopped && stop_signal_time()) {
      stopped = true;
      queue.stop();
    }
    progress.show(queue.counts(), false);
  }
  threads.join();
  progress.show(queue.counts(), true);
  return stopped;
}

}  // namespace

GenerateResult run_generate(const GenerateSettings& settings) {
  note_stop_signals();
  Console console(std::cerr, isatty(STDERR_FILENO) != 0);
  Plan plan = make_plan(settings);
  AnswerFile file(settings.output,
                  lasting_settings(settings, plan.sampling, plan.max_context, plan.stop_tokens, plan.facts.hash));
  GenerateResult result;
  result.rows_before = file.next_row();
  skip_rows(plan, result.rows_before, settings.output);
  tell_plan(plan, result.rows_before, console);

  ModelWeights weights(settings.target);
  const TargetModel target(plan.target, weights, named_type(settings.dtype), plan.target.num_hidden_layers);
  AnswerQueue queue(plan.prompts, plan.encoder, file,
                    {settings.max_new_tokens, plan.max_context, plan.target.vocab_size});
  const int cores = settings.threads > 0 ? settings.threads : available_cores();
  Progress progress(console, plan.facts.rows, result.rows_before);
  {
    AnswerThreads threads(target, {plan.stop_tokens, plan.sampling, settings.batch}, cores, queue);
    result.stopped = answer_all(threads, queue, progress);
  }
  file.flush();
  result.counts = queue.counts();
  result.ledger = queue.ledger();
  return result;
}

}  // namespace dflash
