#include "common/channel/mpi_notices.h"

#include <chrono>

#include "common/base/error.h"
#include "common/mpi/mpi_call.h"

namespace dflash {

namespace {

// A notice leaves at once; only one that the peer has read already is waited for.
constexpr std::chrono::seconds kLeavesWithin{1};

}  // namespace

MpiNotices::Message MpiNotices::make_message(const MpiRoute& route, MakeTransfer make) {
  auto notice = std::make_shared<MpiNotice>();
  const std::shared_ptr<std::byte[]> bytes(notice, reinterpret_cast<std::byte*>(notice.get()));
  return {notice, make(route.comm, route.rank, route.tag, bytes, sizeof(MpiNotice))};
}

MpiNotices::MpiNotices(const MpiRoute& in, const MpiRoute& out, size_t most_under_way)
    : in_(make_message(in, PersistentTransfer::from)) {
  for (size_t i = 0; i < most_under_way; ++i) out_.push_back(make_message(out, PersistentTransfer::to));
  in_.transfer.start();
}

void MpiNotices::tell(const MpiNotice& notice) {
  Message& message = out_[told_ % out_.size()];
  if (!poll_until(Deadline::after(kLeavesWithin), [&] { return message.transfer.done(); })) {
    throw Error(ErrorKind::stall, "a notice to the other end of a channel does not leave: MPI is stuck");
  }
  *message.notice = notice;
  message.transfer.start();
  ++told_;
}

void MpiNotices::tell_last(const MpiNotice& notice) noexcept {
  try {
    if (out_[told_ % out_.size()].transfer.done()) tell(notice);
  } catch (const Error&) {
    // As documented: the peer then learns of the end by its deadline.
  }
}

const MpiNotice& MpiNotices::peer() {
  while (in_.transfer.done()) {
    peer_ = *in_.notice;
    in_.transfer.start();
  }
  return peer_;
}

}  // namespace dflash
