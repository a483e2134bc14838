#include "common/data/prepare/prepared_sink.h"

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {

PreparedSink::PreparedSink(const std::vector<std::string>& files, PreparedWriter& writer, const PrepareEvents& events)
    : files_(files), writer_(writer), events_(events) {
  progress_.input_bytes = total_file_bytes(files);
  if (const auto state = writer.resume_state()) load_state(*state);
}

void PreparedSink::load_state(const Json& state) {
  try {
    start_ = {state.at("file").get<size_t>(), state.at("line").get<int64_t>()};
    ledger_ = PrepareLedger::from_json(state.at("ledger"));
    progress_.resumed_bytes = state.at("done_bytes");
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorKind::checkpoint,
                format("the state beside the last whole shard is none: {}; remove the folder", error.what()));
  }
  if (start_.file >= files_.size()) throw Error(ErrorKind::checkpoint, "the last whole shard stands behind all files");
  stored_rows_ = ledger_.kept();
  progress_.done_bytes = progress_.resumed_bytes;
  progress_.kept = ledger_.kept();
  progress_.dropped = ledger_.rows().dropped();
  if (!events_.notice) return;
  events_.notice(
      format("going on behind {}:{}, where {} kept rows are stored", files_[start_.file], start_.line, stored_rows_));
}

void PreparedSink::opened(const std::string& description) {
  if (events_.notice) events_.notice(description);
}

void PreparedSink::row(const PreparedRow& row, const InputPosition& at) {
  ledger_.count(row, files_[at.file]);
  ++progress_.rows;
  progress_.kept = ledger_.kept();
  progress_.dropped = ledger_.rows().dropped();
  if (row.dropped) return;
  progress_.tokens += static_cast<int64_t>(row.input_ids.size());
  writer_.add(row.input_ids, row.loss_mask);
  if (!writer_.shard_is_full()) return;
  writer_.close_shard(
      {{"file", at.file}, {"line", at.line}, {"done_bytes", progress_.done_bytes}, {"ledger", ledger_.json()}});
  stored_rows_ = ledger_.kept();
}

bool PreparedSink::go_on() {
  tell_progress(false);
  return !events_.should_stop || !events_.should_stop();
}

void PreparedSink::tell_progress(bool last) {
  progress_.seconds = static_cast<double>(stopwatch_.elapsed_ns()) * 1e-9;
  progress_.last = last;
  if (events_.progress) events_.progress(progress_);
}

double PreparedSink::tokens_per_second() const {
  return progress_.seconds > 0 ? static_cast<double>(progress_.tokens) / progress_.seconds : 0;
}

}  // namespace dflash
