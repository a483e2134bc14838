#include "deploy/model_cli/decode_rounds.h"

#include <ATen/Parallel.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <thread>

#include "common/base/cores.h"

namespace dflash {
namespace {

// Prompts that one thread takes at a time.
constexpr size_t kGroupPrompts = 64;

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
        cores_(settings.threads > 0 ? settings.threads : available_cores()),
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

}  // namespace

std::vector<GreedyVerdict> decode_rounds(const TargetModel& target, const SpeculativeDecoder& decoder,
                                         const EvalSettings& settings, PromptReader& reader, EvalResult& result) {
  return Evaluation(target, decoder, settings, result).run(reader);
}

}  // namespace dflash
