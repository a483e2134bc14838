#include "target_worker/postprocess_stage.h"

#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>

#include "common/base/error.h"

namespace dflash {
namespace {

constexpr std::chrono::seconds kAtOnce{0};
constexpr std::chrono::seconds kLook{1};
constexpr std::chrono::milliseconds kLookForErrors{50};
constexpr std::chrono::seconds kThreadGivesUpFirst{5};

}  // namespace

PostprocessStage::PostprocessStage(const WorkerContext& worker, Device& device, const BatchLayout& layout,
                                   Postprocess& postprocess, const Whereabouts& where, bool own_thread)
    : worker_(worker),
      postprocess_(postprocess),
      where_(where),
      sets_(
          device.make_pool({"captures", MemoryKind::device, layout.captured_bytes(), own_thread ? kCaptureSets : 1})) {
  if (!own_thread) return;
  thread_ = std::make_unique<StageThread>(
      "postprocess", [this] { run(); }, [this](const std::exception_ptr& error) { captured_.close(error); });
}

PostprocessStage::~PostprocessStage() {
  postprocess_.abandon();
  captured_.close();
}

void PostprocessStage::run() {
  at::set_num_threads(1);  // it copies: the cores belong to the forward
  const c10::InferenceMode no_autograd;
  for (;;) {
    CapturedPack captured;
    const QueueStatus status = captured_.pop(captured, Deadline::after(kLook));
    if (status == QueueStatus::closed) return;
    if (status == QueueStatus::timeout)
      continue;  // the forward has deadlines of its own, and closes the queue behind it
    postprocess_.send(std::move(captured));
  }
}

template <typename Call>
void PostprocessStage::with_errors_of_the_thread(Call call) {
  try {
    call();
  } catch (const std::exception&) {
    if (thread_ && thread_->error()) worker_.where().enter(where_.stage(), where_.sequence());
    throw;
  }
}

Landed<Buffer> PostprocessStage::free_set() {
  // The thread's wait for a slot ends first, and says which drafter it waited for.
  const Deadline deadline = Deadline::after(worker_.pace_deadline().remaining() + kThreadGivesUpFirst);
  while (!deadline.expired()) {
    if (std::optional<Landed<Buffer>> set = sets_.take(Deadline::after(kLookForErrors))) return std::move(*set);
    with_errors_of_the_thread([&] {
      if (thread_ == nullptr) return;
      if (const auto error = thread_->error()) std::rethrow_exception(error);
    });
  }
  throw Error(ErrorKind::stall, "no capture buffers were free in time: the post-processing does not move on");
}

void PostprocessStage::submit(CapturedPack&& captured) {
  if (!thread_) return postprocess_.send(std::move(captured));
  with_errors_of_the_thread([&] { (void)captured_.push(std::move(captured), Deadline::after(kAtOnce)); });
}

void PostprocessStage::finish() {
  captured_.close();
  if (!thread_) return;
  thread_->join();
  with_errors_of_the_thread([&] {
    if (const auto error = thread_->error()) std::rethrow_exception(error);
  });
}

}  // namespace dflash
