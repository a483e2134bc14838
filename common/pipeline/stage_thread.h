// StageThread: one named thread of the pipeline. What it throws is kept, and told at once to whoever must wake the
// others.
//
//   StageThread forward("forward", [&] { forward_loop(in, out); }, [&](auto error) { in.close(error); out.close(error);
//   });
//   ...
//   in.close(); forward.join(); if (forward.error()) std::rethrow_exception(forward.error());
//
// Threading: the owner's thread calls join; error() may be asked from any thread. Owns: the thread.
// The destructor joins: before it, the owner must have closed the queues the stage waits on, or it waits with the
// stage.
#pragma once

#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace dflash {

class StageThread {
 public:
  using OnError = std::function<void(std::exception_ptr)>;

  /// Starts `body` on a thread that debuggers and `top -H` show by `name` (its first 15 letters). When body throws,
  /// on_error is called on that thread; it closes queues and must not throw.
  StageThread(std::string name, std::function<void()> body, OnError on_error);
  ~StageThread();
  StageThread(const StageThread&) = delete;
  StageThread& operator=(const StageThread&) = delete;

  /// Waits for the end of body; throws nothing of it.
  void join();
  /// What body threw; null while it runs and when it ended well.
  [[nodiscard]] std::exception_ptr error() const;

 private:
  void run(const std::string& name, const std::function<void()>& body, const OnError& on_error);

  mutable std::mutex mutex_;  // guards error_
  std::exception_ptr error_;
  std::thread thread_;  // last: it starts when the members above exist
};

}  // namespace dflash
