// AnswerThreads: decoders at work on one queue, each in a thread of its own.
//
// Threading: made and joined by one thread. Owns: the threads.
#pragma once

#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "common/eval/answer_queue.h"

namespace dflash {

class AnswerThreads {
 public:
  /// Starts them: `most_texts` of `settings` are shared out among as many decoders as there are `cores`, but at least
  /// 8 to each, since a decoder with few texts reads all weights for little; cores left over compute within a decoder.
  AnswerThreads(const TargetModel& target, PlainSettings settings, int cores, AnswerQueue& queue);
  /// Stops the queue and waits.
  ~AnswerThreads();
  AnswerThreads(const AnswerThreads&) = delete;
  AnswerThreads& operator=(const AnswerThreads&) = delete;

  [[nodiscard]] bool at_work() const { return at_work_ > 0; }
  /// Waits for all of them; rethrows the first error of any.
  void join();

 private:
  void work(const PlainDecoder& decoder, int cores);

  AnswerQueue& queue_;
  std::vector<PlainDecoder> decoders_;
  std::mutex mutex_;
  std::exception_ptr error_;  // the first one
  std::atomic<int> at_work_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace dflash
