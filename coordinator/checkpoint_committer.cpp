#include "coordinator/checkpoint_committer.h"

#include <utility>

#include "common/mpi/whereabouts.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;

constexpr size_t kMostUnderWay = 16;  // the drafter writes one while another is committed: 2 is what happens
constexpr auto kFarAway = std::chrono::hours(24 * 365);

}  // namespace

CheckpointCommitter::CheckpointCommitter(const CheckpointStore& store)
    : store_(store),
      staged_(kMostUnderWay),
      committed_(kMostUnderWay),
      thread_(
          "commit", [this] { run(); },
          [this](const std::exception_ptr& error) {
            staged_.close(error);
            committed_.close(error);
          }) {}

CheckpointCommitter::~CheckpointCommitter() {
  staged_.close();
}

void CheckpointCommitter::add(StagedCheckpoint checkpoint) {
  ++under_way_;
  if (staged_.push(std::move(checkpoint), Deadline::after(0s)) == QueueStatus::ok) return;
  throw Error(ErrorKind::internal, "more checkpoints are being committed than there can be");
}

std::optional<int64_t> CheckpointCommitter::poll() {
  int64_t step = 0;
  if (committed_.pop(step, Deadline::after(0s)) != QueueStatus::ok) return std::nullopt;
  --under_way_;
  return step;
}

void CheckpointCommitter::run() {
  StagedCheckpoint next;
  while (staged_.pop(next, Deadline::after(kFarAway)) == QueueStatus::ok) {
    pause_in_tests();
    store_.commit(next.step, next.next_sequence, next.config_hash, next.files, next.added);
    (void)committed_.push(int64_t{next.step}, Deadline::after(0s));  // never full: as many as were staged
  }
}

}  // namespace dflash
