#include "common/mpi/local_mail.h"

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/pipeline/bounded_queue.h"

namespace dflash {
namespace {

using Box = BoundedQueue<std::string>;

class LocalMail final : public ControlMail {
 public:
  LocalMail(int other, std::shared_ptr<Box> to, std::shared_ptr<Box> from)
      : other_(other), to_(std::move(to)), from_(std::move(from)) {}

  void send(int rank, std::string bytes) override {
    if (rank != other_) {
      throw Error(ErrorKind::internal, format("a message to rank {}, but only rank {} is here", rank, other_));
    }
    if (to_->push(std::move(bytes), Deadline::after(std::chrono::seconds(0))) == QueueStatus::ok) return;
    throw Error(ErrorKind::stall, format("{} messages are not taken by rank {}", kMostWaitingLocally, other_));
  }
  std::optional<IncomingBytes> poll() override { return wait(Deadline::after(std::chrono::seconds(0))); }
  std::optional<IncomingBytes> wait(Deadline deadline) override {
    std::string bytes;
    if (from_->pop(bytes, deadline) != QueueStatus::ok) return std::nullopt;
    return IncomingBytes{other_, std::move(bytes)};
  }
  void flush(Deadline /*deadline*/) override {}  // what is sent is there

 private:
  const int other_;
  const std::shared_ptr<Box> to_, from_;
};

}  // namespace

std::pair<std::unique_ptr<ControlMail>, std::unique_ptr<ControlMail>> make_local_mail(int first, int second) {
  const auto there = std::make_shared<Box>(kMostWaitingLocally), back = std::make_shared<Box>(kMostWaitingLocally);
  return {std::make_unique<LocalMail>(second, there, back), std::make_unique<LocalMail>(first, back, there)};
}

}  // namespace dflash
