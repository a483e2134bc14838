// CheckpointController: which steps get a checkpoint, and when the drafter is asked for them.
//
// Steps: 0 (the untrained drafter), every `every_steps`, and the last one. One request is open at a time: the one for
// step 0 goes out at the start, each further one as soon as the part of the one before has arrived and before that part
// is committed, since the disk is slow and the drafter waits: having sent a part that is not of the last step, it goes
// on only when it knows the next step to save.
//
// Pure: no MPI, no disk. Threading: one thread.
#pragma once

#include <cstdint>
#include <optional>

namespace dflash {

class CheckpointController {
 public:
  /// `every_steps` 0: only the first and the last step.
  CheckpointController(int64_t total_steps, int64_t every_steps);

  /// The step to ask the drafter for now; nothing while a request is open or when the last one was made.
  [[nodiscard]] std::optional<int64_t> next_request();
  /// A part has arrived and may be committed. Error{internal} when this step was not asked for.
  void part_received(int64_t step);
  /// The part of the last step has arrived.
  [[nodiscard]] bool complete() const { return !open_ && requested_ == total_steps_; }

 private:
  const int64_t total_steps_;
  const int64_t every_steps_;
  int64_t requested_ = -1;  // the newest step asked for
  bool open_ = false;       // its part has not arrived
};

}  // namespace dflash
