// Whereabouts: in which stage, and at which batch, the loop of a process is. Written by the loop, read by others.
//
//   where.enter("wait for a batch", 17);    where.enter("train");    // still at batch 17
//
// Threading: enter on the loop's thread, the rest on any.
#pragma once

#include <atomic>
#include <cstdint>

namespace dflash {

/// For tests of timing: sleeps for a random time when the environment holds DFLASH_STAGE_DELAYS=SEED:MOST_MS. Every
/// loop calls it once a round, by Whereabouts::enter or itself. Threading: any thread.
void pause_in_tests();

class Whereabouts {
 public:
  /// `stage` must live for ever (a literal). Each entry pauses in tests.
  void enter(const char* stage, int64_t sequence);
  void enter(const char* stage) { enter(stage, sequence()); }

  [[nodiscard]] const char* stage() const { return stage_.load(); }
  [[nodiscard]] int64_t sequence() const { return sequence_.load(); }  // -1: at no batch
  /// Counts the entries: unchanged means that the loop has not moved on.
  [[nodiscard]] uint64_t entries() const { return entries_.load(); }

 private:
  std::atomic<const char*> stage_ = "start";
  std::atomic<int64_t> sequence_ = -1;
  std::atomic<uint64_t> entries_ = 0;
};

}  // namespace dflash
