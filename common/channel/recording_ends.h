// RecordingSender, ReplayReceiver: the ends of a run that has a folder where the other processes would be.
//
//   target  -> RecordingSender -> folder         one role alone: nobody takes the batches, a slot is free when it is
//   folder  -> ReplayReceiver  -> drafter        written; nobody sends them, the next one is always there
//
// Both ends of one channel of kind `file` are made in file_channel.h.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "common/base/error.h"
#include "common/channel/channel.h"
#include "common/channel/lent_slots.h"
#include "common/channel/recorded_folder.h"

namespace dflash {

/// How a slot becomes the payload of a file, and back. Without functions it is the payload.
struct StoredForm {
  std::string name = "as-is";
  size_t slot_bytes = 0;
  size_t stored_bytes = 0;
  std::function<void(std::span<const std::byte> slot, std::span<std::byte> stored)> encode = {};
  std::function<void(std::span<const std::byte> stored, std::span<std::byte> slot)> decode = {};
};

/// Numbers what it is sent from recording.first_sequence on. `finish` ends the stream only: what makes a folder
/// complete is the writer's finish.
class RecordingSender final : public Sender {
 public:
  /// `writer` must outlive the sender.
  RecordingSender(RecordedFolderWriter& writer, StoredForm form);

  std::pair<ChannelStatus, SendSlot> acquire(Deadline deadline) override;
  /// Error as RecordedFolderWriter::write.
  ChannelStatus send(SendSlot&& slot) override;
  ChannelStatus finish(Deadline deadline) override;

 private:
  RecordedFolderWriter& writer_;
  StoredForm form_;
  std::shared_ptr<std::byte[]> slot_, stored_;
  int64_t next_sequence_;
};

/// Batches first, first + stride, ... below end. A slot is filled when it is received.
class ReplayReceiver final : public Receiver {
 public:
  struct Part {
    int64_t first = 0;
    int64_t stride = 1;
    int64_t end = 0;
  };

  /// Error{no_space} when there is no memory for the slots.
  ReplayReceiver(RecordedFolderReader folder, StoredForm form, const Part& part, size_t slot_count);

  std::pair<ChannelStatus, ReceivedSlot> receive(Deadline deadline) override;
  /// As many as a ring of slot_count slots would hold: the folder holds all that are left.
  [[nodiscard]] size_t waiting_slots() const override;

 private:
  void take_back() noexcept;
  void fill(std::span<std::byte> slot);

  RecordedFolderReader folder_;
  StoredForm form_;
  Part part_;
  size_t slot_count_;
  std::shared_ptr<std::byte[]> slots_, stored_;
  mutable std::mutex mutex_;  // guards the counts
  std::condition_variable released_;
  size_t received_count_ = 0;
  size_t released_count_ = 0;
  std::optional<Error> error_;
  LentSlots lent_{slots_, [this] { take_back(); }};  // last: it calls take_back()
};

}  // namespace dflash
