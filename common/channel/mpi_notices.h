// MpiNotices: what the two ends of an mpi channel tell each other beside the frames, in messages of 16 bytes.
//
//   sender -> receiver   frames sent,      when it finishes or goes
//   receiver -> sender   frames released,  at every release (the credit), and when it goes
//
// Each notice has a transfer of its own that was prepared in advance, so that telling never waits for the peer.
//
// Threading: one thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "common/channel/mpi_slots.h"
#include "common/mpi/persistent_transfer.h"

namespace dflash {

struct MpiNotice {
  uint64_t frames = 0;  ///< sent, or released, so far
  uint32_t done = 0;    ///< the sender sends no more
  uint32_t gone = 0;    ///< the end was destroyed
};

class MpiNotices {
 public:
  /// At most `most_under_way` notices are told before the peer has read the first of them.
  MpiNotices(const MpiRoute& in, const MpiRoute& out, size_t most_under_way);

  /// Error{stall} when the peer has read none of the last `most_under_way` notices for a second.
  void tell(const MpiNotice& notice);
  /// The last one, for destructors: does nothing instead of throwing.
  void tell_last(const MpiNotice& notice) noexcept;

  /// The newest notice of the peer. Lets MPI work a little.
  [[nodiscard]] const MpiNotice& peer();

 private:
  struct Message {
    std::shared_ptr<MpiNotice> notice;
    PersistentTransfer transfer;
  };
  using MakeTransfer = MpiSlots::MakeTransfer;
  static Message make_message(const MpiRoute& route, MakeTransfer make);

  Message in_;
  std::vector<Message> out_;
  uint64_t told_ = 0;
  MpiNotice peer_;
};

}  // namespace dflash
