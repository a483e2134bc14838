// NanGuard: the record of batches and steps whose numbers are not finite, and when to stop.
//
// Such a step changes no weight (TrainStep); here it is written down, with the batches' sequence numbers, which are
// their keys: everything about a batch follows from its number. A line of bad_batches.jsonl:
//
//   {"step": 7, "sequence": 12, "drafter": 0, "reason": "...", "tensors": {"layer 9": {"min", "max", "mean", "nan",
//   "inf"}, ...}}
//
// The first kMostKept bad batches of a drafter are kept whole, each as a recorded folder of its own
// (common/channel/recording.h): bad_batches/batch-000000000012. `drafter_worker --solo run.toml --replay` that folder
// `--batch 12` looks at it again.
//
// Every drafter sees the same steps skipped, so all stop at the same one. Threading: one thread.
#pragma once

#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "common/base/json.h"
#include "common/data/batch_layout.h"

namespace dflash {

/// So many skipped steps in a row end the run.
constexpr int kMostSkippedInARow = 3;

constexpr int kMostKept = 4;

/// Least, largest and mean of the finite values, and how many are not.
[[nodiscard]] Json tensor_statistics(const at::Tensor& tensor);

/// Those of the captured layers of a slot, "layer 9" by their numbers in the target.
[[nodiscard]] std::map<std::string, Json> captured_statistics(std::span<std::byte> slot, const BatchLayout& layout);

class NanGuard {
 public:
  /// `run`: what a replay of a kept batch must know of the run, for `made_with` of its recording.
  NanGuard(const std::filesystem::path& run_folder, int drafter, Json run = Json::object())
      : file_(run_folder / "bad_batches.jsonl"),
        kept_folder_(run_folder / "bad_batches"),
        drafter_(drafter),
        run_(std::move(run)) {}

  /// Appends the line. Error{no_space} and the like.
  void write(int64_t step, int64_t sequence, const std::string& reason, const std::map<std::string, Json>& tensors);
  /// Keeps the batch, as it lies in `slot`, unless that many are kept, or it is already.
  void keep(int64_t sequence, std::span<const std::byte> slot, const BatchLayout& layout);
  /// After every step. Error{not_finite} when this was one too many.
  void count(int64_t step, bool skipped);

 private:
  const std::filesystem::path file_;
  const std::filesystem::path kept_folder_;
  const int drafter_;
  const Json run_;
  int kept_ = 0;
  int skipped_in_a_row_ = 0;
};

}  // namespace dflash
