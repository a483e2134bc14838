#include "common/pipeline/stage_thread.h"

#include <pthread.h>

#include <utility>

namespace dflash {

namespace {
constexpr size_t kLongestName = 15;  // pthread_setname_np refuses more
}  // namespace

StageThread::StageThread(std::string name, std::function<void()> body, OnError on_error)
    : thread_([this, name = std::move(name), body = std::move(body), on_error = std::move(on_error)] {
        run(name, body, on_error);
      }) {}

StageThread::~StageThread() {
  join();
}

void StageThread::run(const std::string& name, const std::function<void()>& body, const OnError& on_error) {
  pthread_setname_np(pthread_self(), name.substr(0, kLongestName).c_str());
  try {
    body();
  } catch (...) {  // kept for error(), whatever it is
    const std::exception_ptr error = std::current_exception();
    {
      const std::lock_guard lock(mutex_);
      error_ = error;
    }
    on_error(error);
  }
}

void StageThread::join() {
  if (thread_.joinable()) thread_.join();
}

std::exception_ptr StageThread::error() const {
  const std::lock_guard lock(mutex_);
  return error_;
}

}  // namespace dflash
