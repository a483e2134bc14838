// BatchReceiver: the batches of all targets, in the order of their sequence numbers.
//
// Every link carries ascending sequence numbers, so the next one is at the head of some link or still being computed: a
// head that is not yet due is kept (its slot stays taken), and the other links are looked at. Threading: one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/channel/channel.h"
#include "common/tensor/hidden_state_batch.h"

namespace dflash {

/// A batch and the slot its views lie in. The slot is free again when this is destroyed: after the backward pass.
struct ReceivedBatch {
  ReceivedSlot slot;
  HiddenStateBatch batch;
};

class BatchReceiver {
 public:
  struct Link {
    std::unique_ptr<Receiver> receiver;
    std::string peer;  // "target 1 (rank 2)"
  };

  /// `layout` must outlive the receiver.
  BatchReceiver(std::vector<Link> links, const BatchLayout& layout);

  /// Error{stall} when the batch has not come by the deadline, {peer_died} when a link closed, {internal} when a link
  /// broke the order of sequence numbers.
  [[nodiscard]] ReceivedBatch receive(int64_t sequence, Deadline deadline);
  /// Batches that have arrived and are not yet handed out.
  [[nodiscard]] int64_t level() const;
  /// Takes the end of every stream, so that the targets may leave.
  void drain(Deadline deadline);

 private:
  struct Head {
    Link link;
    std::optional<ReceivedBatch> batch;
    bool ended = false;
  };
  void look_at(Head& head, int64_t due, Deadline deadline);

  std::vector<Head> heads_;
  const BatchLayout& layout_;
};

}  // namespace dflash
