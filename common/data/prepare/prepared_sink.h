// PreparedSink: the rows of the pipeline into a prepared folder and its ledger, and how far that got.
//
// Threading: one thread. Refers to all it was made of; owns the ledger.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "common/base/stopwatch.h"
#include "common/data/prepare/prepare_data.h"
#include "common/data/prepare/prepare_pipeline.h"
#include "common/data/prepared/prepared_writer.h"

namespace dflash {

class PreparedSink final : public RowSink {
 public:
  /// Goes on with what `writer` has saved. Error{checkpoint} when that is no state of a PreparedSink.
  PreparedSink(const std::vector<std::string>& files, PreparedWriter& writer, const PrepareEvents& events);

  /// Where the pipeline starts.
  [[nodiscard]] InputPosition start() const { return start_; }

  void opened(const std::string& description) override;
  void row(const PreparedRow& row, const InputPosition& at) override;
  [[nodiscard]] bool go_on() override;
  void reached(int64_t done_bytes) override { progress_.done_bytes = done_bytes; }

  void tell_progress(bool last);
  [[nodiscard]] const PrepareLedger& ledger() const { return ledger_; }
  [[nodiscard]] int64_t stored_rows() const { return stored_rows_; }
  [[nodiscard]] double seconds() const { return progress_.seconds; }
  /// Tokens of this run alone, a second.
  [[nodiscard]] double tokens_per_second() const;

 private:
  void load_state(const Json& state);

  const std::vector<std::string>& files_;
  PreparedWriter& writer_;
  const PrepareEvents& events_;
  InputPosition start_;
  PrepareLedger ledger_;
  int64_t stored_rows_ = 0;
  PrepareProgress progress_;
  Stopwatch stopwatch_;
};

}  // namespace dflash
