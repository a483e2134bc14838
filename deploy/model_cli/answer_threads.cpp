#include "deploy/model_cli/answer_threads.h"

#include <ATen/Parallel.h>

#include <algorithm>

namespace dflash {
namespace {

constexpr int64_t kLeastTexts = 8;

}  // namespace

AnswerThreads::AnswerThreads(const TargetModel& target, PlainSettings settings, int cores, AnswerQueue& queue)
    : queue_(queue) {
  const int64_t texts = settings.most_texts;
  const int64_t count = std::clamp<int64_t>(texts / kLeastTexts, 1, cores);
  for (int64_t i = 0; i < count; ++i) {
    settings.most_texts = texts / count + (i < texts % count ? 1 : 0);
    decoders_.emplace_back(target, settings);
  }
  at_work_ = static_cast<int>(count);
  for (const PlainDecoder& decoder : decoders_) {
    threads_.emplace_back([this, &decoder, each = cores / static_cast<int>(count)] { work(decoder, each); });
  }
}

AnswerThreads::~AnswerThreads() {
  queue_.stop();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

void AnswerThreads::work(const PlainDecoder& decoder, int cores) {
  at::set_num_threads(cores);
  try {
    decoder.run(queue_);
  } catch (const std::exception&) {
    {
      const std::scoped_lock lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
    queue_.stop();
  }
  --at_work_;
}

void AnswerThreads::join() {
  for (std::thread& thread : threads_) thread.join();
  if (error_) std::rethrow_exception(error_);
}

}  // namespace dflash
