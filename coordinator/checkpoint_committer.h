// CheckpointCommitter: hashes, flushes and renames checkpoints on a thread of its own, so that the coordinator answers
// its workers meanwhile.
//
// Threading: one thread calls; it owns the committing thread. The destructor waits for the commit that is under way.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "common/checkpoint/checkpoint_store.h"
#include "common/pipeline/bounded_queue.h"
#include "common/pipeline/stage_thread.h"

namespace dflash {

/// What CheckpointStore::commit is told.
struct StagedCheckpoint {
  int64_t step = 0;
  int64_t next_sequence = 0;
  std::string config_hash;
  std::vector<std::string> files;
  std::map<std::string, std::string> added;
};

class CheckpointCommitter {
 public:
  explicit CheckpointCommitter(const CheckpointStore& store);
  ~CheckpointCommitter();
  CheckpointCommitter(const CheckpointCommitter&) = delete;
  CheckpointCommitter& operator=(const CheckpointCommitter&) = delete;

  void add(StagedCheckpoint checkpoint);
  /// The step of the next checkpoint that has become whole. Throws what went wrong with one.
  [[nodiscard]] std::optional<int64_t> poll();
  [[nodiscard]] bool idle() const { return under_way_ == 0; }

 private:
  void run();

  const CheckpointStore& store_;
  int64_t under_way_ = 0;  // added and not yet polled
  BoundedQueue<StagedCheckpoint> staged_;
  BoundedQueue<int64_t> committed_;
  StageThread thread_;
};

}  // namespace dflash
