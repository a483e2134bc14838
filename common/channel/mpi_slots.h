// MpiSlots: the slots of one end of an mpi channel: memory, and for each slot the transfer that fills or empties it.
//
// Frame i (0, 1, 2, ...) lives in slot i mod count. Header and payload travel as one block, so every slot costs its
// memory twice: at the sender and at the receiver.
//
// Threading: one thread at a time. Owns: the memory (shared with transfers that MPI has not let go of).
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "common/channel/channel.h"
#include "common/channel/frame_header.h"
#include "common/mpi/persistent_transfer.h"

namespace dflash {

/// Where the messages of one direction go to or come from.
struct MpiRoute {
  const OwnComm& comm;
  int rank;
  int tag;
};

/// Memory for `count` frames of this shape. Error{no_space}.
[[nodiscard]] std::shared_ptr<std::byte[]> make_frames(const ChannelShape& shape, size_t count);

class MpiSlots {
 public:
  using MakeTransfer = decltype(&PersistentTransfer::to);

  /// `make` is PersistentTransfer::to or ::from.
  MpiSlots(const ChannelShape& shape, size_t count, const std::shared_ptr<std::byte[]>& frames, const MpiRoute& route,
           MakeTransfer make);

  [[nodiscard]] PersistentTransfer& transfer(uint64_t index) { return transfers_[index % transfers_.size()]; }
  [[nodiscard]] FrameHeader& header(uint64_t index) const;
  [[nodiscard]] std::span<std::byte> payload(uint64_t index) const;
  [[nodiscard]] size_t count() const { return transfers_.size(); }
  [[nodiscard]] const ChannelShape& shape() const { return shape_; }
  [[nodiscard]] const std::shared_ptr<std::byte[]>& memory() const { return frames_; }

 private:
  ChannelShape shape_;
  std::shared_ptr<std::byte[]> frames_;
  std::vector<PersistentTransfer> transfers_;
};

}  // namespace dflash
