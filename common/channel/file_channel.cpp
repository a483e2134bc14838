#include "common/channel/file_channel.h"

#include <deque>
#include <mutex>
#include <optional>

#include "common/channel/channel_handshake.h"
#include "common/channel/lent_slots.h"
#include "common/channel/mpi_slots.h"
#include "common/channel/recorded_folder.h"
#include "common/channel/shm_channel.h"

namespace dflash {

namespace {

namespace fs = std::filesystem;

constexpr const char* kKind = "file";

/// Of the channel that carries the word that a frame is there.
ChannelShape ticket_shape(const ChannelShape& shape) {
  ChannelShape tickets = shape;
  tickets.slot_bytes = 1;
  return tickets;
}

Recording recording_of(const ChannelShape& shape) {
  Recording recording;
  recording.layout_hash = shape.layout_hash;
  recording.slot_bytes = recording.stored_bytes = shape.slot_bytes;
  return recording;
}

class FileSender final : public Sender {
 public:
  FileSender(const ChannelShape& shape, const fs::path& folder)
      : shape_(shape), writer_(folder, recording_of(shape)), slot_(make_frames(shape, 1)) {}
  void connect(std::unique_ptr<Sender> tickets) { tickets_ = std::move(tickets); }

  std::pair<ChannelStatus, SendSlot> acquire(Deadline deadline) override {
    const ChannelStatus status = take(tickets_->acquire(deadline));
    return {status, status == ChannelStatus::ok ? SendSlot({slot_.get(), shape_.slot_bytes}, slot_) : SendSlot()};
  }

  ChannelStatus send(SendSlot&& slot) override {
    const SendSlot taken = std::move(slot);
    if (taken.bytes().data() != slot_.get()) {
      throw Error(ErrorKind::internal, "a channel's sender was given a slot that is not the one it handed out last");
    }
    writer_.write(writer_.batches(), taken.bytes());  // before the word that it is there
    return tickets_->send(std::move(ticket_));
  }

  ChannelStatus finish(Deadline deadline) override {
    if (!writer_.recording().complete) writer_.finish();
    return tickets_->finish(deadline);
  }

 private:
  ChannelStatus take(std::pair<ChannelStatus, SendSlot> acquired) {
    ticket_ = std::move(acquired.second);
    return acquired.first;
  }

  const ChannelShape shape_;
  RecordedFolderWriter writer_;
  std::shared_ptr<std::byte[]> slot_;
  std::unique_ptr<Sender> tickets_;
  SendSlot ticket_;
};

class FileReceiver final : public Receiver {
 public:
  explicit FileReceiver(const ChannelShape& shape) : shape_(shape), slots_(make_frames(shape, shape.slot_count)) {}
  void connect(std::unique_ptr<Receiver> tickets, const fs::path& folder) {
    tickets_ = std::move(tickets);
    folder_.emplace(folder);
  }

  std::pair<ChannelStatus, ReceivedSlot> receive(Deadline deadline) override {
    if (error_) throw Error(*error_);
    auto [status, ticket] = tickets_->receive(deadline);
    if (status != ChannelStatus::ok) return {status, ReceivedSlot()};
    const std::span slot(slots_.get() + next_ % shape_.slot_count * frame_stride_bytes(shape_), shape_.slot_bytes);
    try {
      folder_->read(static_cast<int64_t>(next_), slot);
    } catch (const Error& error) {
      error_ = error;
      throw;
    }
    ++next_;
    {
      const std::lock_guard lock(mutex_);
      held_.push_back(std::move(ticket));
    }
    return {ChannelStatus::ok, lent_.lend(slot)};
  }
  [[nodiscard]] size_t waiting_slots() const override { return tickets_->waiting_slots(); }

 private:
  /// They come back in the order they were received, so the first ticket is the slot's.
  void take_back() noexcept {
    const std::lock_guard lock(mutex_);
    held_.pop_front();
  }

  const ChannelShape shape_;
  std::shared_ptr<std::byte[]> slots_;
  std::unique_ptr<Receiver> tickets_;
  std::optional<RecordedFolderReader> folder_;
  uint64_t next_ = 0;
  std::optional<Error> error_;
  std::mutex mutex_;  // guards held_
  std::deque<ReceivedSlot> held_;
  LentSlots lent_{slots_, [this] { take_back(); }};  // last: it calls take_back()
};

}  // namespace

std::unique_ptr<Receiver> make_file_receiver(const ChannelShape& shape, Bootstrap& bootstrap, Deadline deadline,
                                             const fs::path& folder) {
  auto receiver = make_or_refuse(bootstrap, [&] {
    check_shape(shape);
    return std::make_unique<FileReceiver>(shape);
  });
  say_hello(bootstrap, kKind, shape, fs::absolute(folder).string());
  (void)hear_hello(bootstrap, deadline);  // the folder is there
  receiver->connect(make_shm_receiver(ticket_shape(shape), bootstrap, deadline), folder);
  return receiver;
}

std::unique_ptr<Sender> make_file_sender(const ChannelShape& shape, Bootstrap& bootstrap, Deadline deadline) {
  const ChannelHello hello = hear_hello(bootstrap, deadline);
  auto sender =
      make_for(bootstrap, hello, kKind, shape, [&] { return std::make_unique<FileSender>(shape, hello.details); });
  say_hello(bootstrap, kKind, shape, "");
  sender->connect(make_shm_sender(ticket_shape(shape), bootstrap, deadline));
  return sender;
}

}  // namespace dflash
