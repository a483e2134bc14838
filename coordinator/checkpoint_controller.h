// CheckpointController: which steps get a checkpoint, and when the lead drafter is asked for them.
//
// Steps: 0 (the untrained drafter), every multiple of `every_steps`, and the last one. One request is open at a time:
// the first goes out at the start, each further one as soon as the part of the one before has arrived and before that
// part is committed, since the disk is slow and the drafter waits: having sent a part that is not the final one, it
// goes on only when it knows the next step to save. A signal ends the run with a part that nobody asked for: the final.
//
// Pure: no MPI, no disk. Threading: one thread.
#pragma once

#include <cstdint>
#include <optional>

namespace dflash {

class CheckpointController {
 public:
  /// `every_steps` 0: only the first and the last step. `resumed_from`: the run goes on from the checkpoint of
  /// that step, which is not asked for again.
  CheckpointController(int64_t total_steps, int64_t every_steps, std::optional<int64_t> resumed_from);

  /// The step to ask the drafter for now; nothing while a request is open, when the last one was made, or when the
  /// final part has come.
  [[nodiscard]] std::optional<int64_t> next_request();
  /// A part has arrived and may be committed. Error{internal} when this step was not asked for and the part is not the
  /// final one.
  void part_received(int64_t step, bool final);
  /// The step of the final part.
  [[nodiscard]] std::optional<int64_t> final_step() const { return final_step_; }

 private:
  const int64_t total_steps_;
  const int64_t every_steps_;
  int64_t requested_;  // the newest step asked for
  bool open_ = false;  // its part has not arrived
  std::optional<int64_t> final_step_;
};

}  // namespace dflash
