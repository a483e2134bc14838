// The pipeline: one thread reads lines in chunks, workers make token ids of them, and the calling thread gets the rows
// in the order of files and lines, whatever the number of workers.
//
//   reader -> (chunks) -> workers -> (promises, in order) -> the caller's RowSink
//
// Threading: run from one thread, which is the only one that calls the sink; all others are joined before it returns
// or throws.
// Limits: at most 256 MiB of lines are on their way, or one line that is longer. A
// reader that waits for a pipe is only joined when something comes out of it.
#pragma once

#include <string>
#include <vector>

#include "common/data/prepare/row_chunk.h"
#include "common/data/prepare/row_preparer.h"

namespace dflash {

class RowSink {
 public:
  virtual ~RowSink() = default;
  /// A file is begun; `description`: which shape was found.
  virtual void opened(const std::string& description) = 0;
  /// The next row, kept or dropped; `at` is its place.
  virtual void row(const PreparedRow& row, const InputPosition& at) = 0;
  /// False ends the run here. Called behind each chunk, and five times a second while there is none.
  [[nodiscard]] virtual bool go_on() = 0;
  /// Bytes of all files that are through.
  virtual void reached(int64_t done_bytes) = 0;
};

/// Gives the rows behind `start` to the sink. False when the sink ended it. Rethrows the first error in the order of
/// the rows, after the rows before it: Error{input_file} of a file that cannot be used, what the sink throws.
[[nodiscard]] bool run_prepare_pipeline(const std::vector<std::string>& files, const PrepareSettings& settings,
                                        const PrepareTexts& texts, InputPosition start, RowSink& sink);

/// settings.threads, or the cores that this process may use.
[[nodiscard]] int worker_count(const PrepareSettings& settings);

}  // namespace dflash
