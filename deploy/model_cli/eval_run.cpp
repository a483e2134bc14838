#include "deploy/model_cli/eval_run.h"

#include <ATen/Parallel.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <functional>
#include <thread>

#include "common/base/error.h"
#include "common/base/format.h"
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

}  // namespace

EvalResult run_eval(const EvalSettings& settings) {
  const ModelConfig target_config = read_model_config(settings.target);
  const DrafterConfig drafter_config = read_drafter_config(settings.drafter);
  check_pair(target_config, drafter_config);
  EvalResult result;
  result.limits = make_limits(settings, drafter_config, target_config);
  result.prompts = read_prompts(settings.prompts, target_config.vocab_size);

  const at::ScalarType type = named_type(settings.dtype);
  ModelWeights weights(settings.target);
  const TargetModel target(target_config, weights, type, target_config.num_hidden_layers);
  const DrafterModel drafter = load_drafter(settings.drafter, drafter_config, type);
  const SpeculativeDecoder decoder(target, drafter, result.limits);

  const size_t count = result.prompts.size();
  result.decoded.resize(count);
  std::vector<GreedyVerdict> verdicts(count);
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  ProgressCounter progress(settings.show_progress, count);
  for_each_group(count, settings.threads > 0 ? settings.threads : std::max(1, cores), [&](size_t first, size_t end) {
    std::vector<std::vector<int64_t>> group;
    for (size_t i = first; i < end; ++i) group.push_back(result.prompts[i].ids);
    std::vector<Decoded> texts = decoder.decode(group);
    const std::vector<GreedyVerdict> checked = check_greedy(target, texts, result.limits);
    std::copy(checked.begin(), checked.end(), verdicts.begin() + static_cast<int64_t>(first));
    std::move(texts.begin(), texts.end(), result.decoded.begin() + static_cast<int64_t>(first));
    progress.add(end - first);
  });
  result.report = make_report(result.prompts, result.decoded, verdicts, result.limits.block_size);
  return result;
}

}  // namespace dflash
