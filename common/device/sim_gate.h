// SimGate: stops the engines of a simulated device, so that a test can look at what is in flight for sure.
//
// Threading: any thread.
#pragma once

#include <condition_variable>
#include <mutex>

namespace dflash {

enum class SimWork { compute, copy };

class SimGate {
 public:
  /// No operation of this kind begins until open().
  void close(SimWork work);
  void open(SimWork work);
  void open_all();
  /// The engines': waits while it is closed.
  void pass(SimWork work);

 private:
  [[nodiscard]] bool& closed(SimWork work) { return work == SimWork::copy ? copy_closed_ : compute_closed_; }

  std::mutex mutex_;  // guards both
  std::condition_variable opened_;
  bool copy_closed_ = false;
  bool compute_closed_ = false;
};

}  // namespace dflash
