// PackPrefetcher: a thread that asks the coordinator for leases and builds their packs while the target computes.
//
// Threading: until join() has returned, the thread alone takes what the coordinator sends. where() from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "common/data/preloaded_dataset.h"
#include "common/mpi/worker_main.h"
#include "common/pipeline/bounded_queue.h"
#include "common/pipeline/stage_thread.h"

namespace dflash {

/// A pack whose sequence number this target has been given to compute.
struct LeasedPack {
  int64_t sequence = -1;
  Pack pack;
};

constexpr size_t kPrefetchedPacks = 2;

class PackPrefetcher {
 public:
  PackPrefetcher(const WorkerContext& worker, PreloadedDataset& dataset);
  ~PackPrefetcher();
  PackPrefetcher(const PackPrefetcher&) = delete;
  PackPrefetcher& operator=(const PackPrefetcher&) = delete;

  /// Closed after the run's last pack, or when the run is stopped; an error of the thread is rethrown by pop.
  [[nodiscard]] BoundedQueue<LeasedPack>& packs() { return packs_; }
  /// Whether the thread has ended with an error; where() is then the stage and the batch at which it happened.
  [[nodiscard]] bool failed() const { return thread_->error() != nullptr; }
  [[nodiscard]] const Whereabouts& where() const { return where_; }
  /// Once no more packs are wanted: ends the thread, whatever it waits for.
  void join() {
    packs_.close();
    owner_gone_ = true;
    thread_->join();
  }

 private:
  void run();
  void request_leases(int count);
  /// The next grant; nothing when the owner has gone in the meantime, or the run is stopped.
  [[nodiscard]] std::optional<LeaseGrant> wait_for_grant();

  const WorkerContext& worker_;
  PreloadedDataset& dataset_;
  Whereabouts where_;  // of the thread
  BoundedQueue<LeasedPack> packs_{kPrefetchedPacks};
  std::atomic<bool> owner_gone_ = false;
  std::unique_ptr<StageThread> thread_;
};

}  // namespace dflash
