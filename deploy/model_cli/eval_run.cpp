#include "deploy/model_cli/eval_run.h"

#include <ATen/Parallel.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <thread>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/data/rows/row_file.h"
#include "common/eval/shown_text.h"
#include "deploy/model_cli/drafter_tensors.h"
#include "deploy/model_cli/named_type.h"

namespace dflash {
namespace {

// Prompts that one thread takes at a time.
constexpr size_t kGroupPrompts = 64;

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

/// Calls work(first, end) for groups of prompts, on as many threads as there are groups or cores. Groups are the same
/// for any number of cores, and so is the result. The first error is rethrown.
void for_each_group(size_t count, int cores, const std::function<void(size_t, size_t)>& work) {
  const int threads = std::min(cores, static_cast<int>((count + kGroupPrompts - 1) / kGroupPrompts));
  std::atomic<size_t> next = 0;
  std::vector<std::exception_ptr> errors(static_cast<size_t>(threads));
  std::vector<std::thread> workers;
  workers.reserve(static_cast<size_t>(threads));
  for (int t = 0; t < threads; ++t) {
    workers.emplace_back([&, t] {
      at::set_num_threads(cores / threads);  // few prompts: several cores for each
      try {
        for (size_t first = next.fetch_add(kGroupPrompts); first < count; first = next.fetch_add(kGroupPrompts)) {
          work(first, std::min(count, first + kGroupPrompts));
        }
      } catch (const std::exception&) {
        errors[static_cast<size_t>(t)] = std::current_exception();
        next = count;
      }
    });
  }
  for (std::thread& worker : workers) worker.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

/// "eval 17/256" on one line of a terminal.
class ProgressCounter {
 public:
  ProgressCounter(bool show, size_t total) : show_(show && isatty(STDERR_FILENO) != 0), total_(total) {}
  ~ProgressCounter() {
    if (show_) std::fputs("\r\033[K", stderr);
  }
  ProgressCounter(const ProgressCounter&) = delete;
  ProgressCounter& operator=(const ProgressCounter&) = delete;
  void add(size_t count) {
    const size_t done = done_ += count;
    if (show_) std::fprintf(stderr, "\rdecoding %zu/%zu prompts", done, total_);
  }

 private:
  bool show_;
  size_t total_;
  std::atomic<size_t> done_ = 0;
};

/// Reads the prompts of all files, and says what each file is.
std::vector<std::string> read_files(PromptReader& reader, const EvalSettings& settings, std::vector<Prompt>& prompts) {
  const std::vector<std::string> paths = expand_inputs(settings.prompts);
  for (const std::string& path : paths) {
    const std::string description = reader.read(path, settings.prompt_files, prompts);
    if (settings.show_progress) std::fprintf(stderr, "%s\n", description.c_str());
  }
  return paths;
}

/// The new tokens without the stop token that ends them.
std::span<const int64_t> answer_of(const Decoded& decoded, const DecodeLimits& limits) {
  const auto answer = std::span(decoded.ids).subspan(static_cast<size_t>(decoded.prompt_tokens));
  const bool stopped = std::ranges::find(limits.stop_tokens, answer.back()) != limits.stop_tokens.end();
  return stopped ? answer.first(answer.size() - 1) : answer;
}

size_t count_questions(const std::vector<Prompt>& prompts) {
  size_t count = prompts.size();
  for (const Prompt& prompt : prompts) count += prompt.conversation.later_questions.size();
  return count;
}

/// What decodes, and the result that it fills.
class Evaluation {
 public:
  Evaluation(const TargetModel& target, const SpeculativeDecoder& decoder, const EvalSettings& settings,
             EvalResult& result)
      : target_(target),
        decoder_(decoder),
        result_(result),
        cores_(settings.threads > 0 ? settings.threads
                                    : std::max(1, static_cast<int>(std::thread::hardware_concurrency()))),
        progress_(settings.show_progress, count_questions(result.prompts)) {}

  /// All prompts; then, round by round, the questions that wait for their answers. Returns a verdict for each text.
  std::vector<GreedyVerdict> run(PromptReader& reader) {
    for (size_t first = 0; first < result_.prompts.size();) {
      const size_t end = result_.prompts.size();
      decode(first, end);
      for (; first < end; ++first) {
        auto next = reader.next_question(result_.prompts[first], answer_of(result_.decoded[first], result_.limits));
        if (next) result_.prompts.push_back(std::move(*next));
      }
    }
    return std::move(verdicts_);
  }

 private:
  void decode(size_t round_begin, size_t round_end) {
    result_.decoded.resize(round_end);
    verdicts_.resize(round_end);
    for_each_group(round_end - round_begin, cores_, [&](size_t first, size_t end) {
      const size_t begin = round_begin + first;
      std::vector<std::vector<int64_t>> group;
      for (size_t i = begin; i < round_begin + end; ++i) group.push_back(result_.prompts[i].ids);
      std::vector<Decoded> texts = decoder_.decode(group);
      std::ranges::copy(check_greedy(target_, texts, result_.limits),
                        verdicts_.begin() + static_cast<std::ptrdiff_t>(begin));
      std::ranges::move(texts, result_.decoded.begin() + static_cast<std::ptrdiff_t>(begin));
      progress_.add(end - first);
    });
  }

  const TargetModel& target_;
  const SpeculativeDecoder& decoder_;
  EvalResult& result_;
  std::vector<GreedyVerdict> verdicts_;
  int cores_;
  ProgressCounter progress_;
};

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
  PromptReader reader({settings.target, settings.tokenizer, settings.chat_template, settings.template_variables},
                      target_config.vocab_size);
  if (settings.shown_texts > 0) (void)reader.tokenizer();  // its absence is told before the work
  const std::vector<std::string> paths = read_files(reader, settings, result.prompts);

  const at::ScalarType type = named_type(settings.dtype);
  ModelWeights weights(settings.target);
  const TargetModel target(target_config, weights, type, target_config.num_hidden_layers);
  const DrafterModel drafter = load_drafter(settings.drafter, drafter_config, type);
  const SpeculativeDecoder decoder(target, drafter, result.limits);
  const std::vector<GreedyVerdict> verdicts = Evaluation(target, decoder, settings, result).run(reader);
  const int64_t block_size = result.limits.block_size;
  result.report = make_report(result.prompts, result.decoded, verdicts, block_size);
  result.files = make_file_reports(paths, result.prompts, result.decoded, verdicts, block_size);
  show_texts(reader, settings.shown_texts, colour, result);
  return result;
}

}  // namespace dflash
