#include "common/channel/recording_ends.h"

#include <algorithm>

#include "common/channel/frame_header.h"
#include "common/channel/mpi_slots.h"

namespace dflash {

namespace {

/// Memory of `count` slots, as any channel gives it.
std::shared_ptr<std::byte[]> make_slots(size_t slot_bytes, size_t count) {
  return make_frames({.slot_bytes = slot_bytes, .slot_count = count}, count);
}

}  // namespace

RecordingSender::RecordingSender(RecordedFolderWriter& writer, StoredForm form)
    : writer_(writer),
      form_(std::move(form)),
      slot_(make_slots(form_.slot_bytes, 1)),
      stored_(form_.encode ? make_slots(form_.stored_bytes, 1) : nullptr),
      next_sequence_(writer.recording().first_sequence) {}

std::pair<ChannelStatus, SendSlot> RecordingSender::acquire(Deadline /*deadline*/) {
  return {ChannelStatus::ok, SendSlot({slot_.get(), form_.slot_bytes}, slot_)};
}

ChannelStatus RecordingSender::send(SendSlot&& slot) {
  const SendSlot taken = std::move(slot);
  if (taken.bytes().data() != slot_.get()) {
    throw Error(ErrorKind::internal, "a recording was given a slot that is not the one it handed out");
  }
  std::span<const std::byte> payload = taken.bytes();
  if (form_.encode) {
    const std::span stored(stored_.get(), form_.stored_bytes);
    form_.encode(taken.bytes(), stored);
    payload = stored;
  }
  writer_.write(next_sequence_, payload);
  ++next_sequence_;
  return ChannelStatus::ok;
}

ChannelStatus RecordingSender::finish(Deadline /*deadline*/) {
  return ChannelStatus::ok;
}

ReplayReceiver::ReplayReceiver(RecordedFolderReader folder, StoredForm form, const Part& part, size_t slot_count)
    : folder_(std::move(folder)),
      form_(std::move(form)),
      part_(part),
      slot_count_(slot_count),
      slots_(make_slots(form_.slot_bytes, slot_count)),
      stored_(form_.decode ? make_slots(form_.stored_bytes, 1) : nullptr) {}

std::pair<ChannelStatus, ReceivedSlot> ReplayReceiver::receive(Deadline deadline) {
  if (error_) throw Error(*error_);
  if (part_.first >= part_.end) return {ChannelStatus::end_of_stream, ReceivedSlot()};
  size_t slot = 0;
  {
    std::unique_lock lock(mutex_);
    const auto is_free = [this] { return received_count_ - released_count_ < slot_count_; };
    if (!released_.wait_until(lock, deadline.when(), is_free)) return {ChannelStatus::timeout, ReceivedSlot()};
    slot = received_count_ % slot_count_;
  }
  const std::span bytes(slots_.get() + slot * frame_stride_bytes({.slot_bytes = form_.slot_bytes}), form_.slot_bytes);
  try {
    fill(bytes);
  } catch (const Error& error) {
    error_ = error;
    throw;
  }
  {
    const std::lock_guard lock(mutex_);
    part_.first += part_.stride;
    ++received_count_;
  }
  return {ChannelStatus::ok, lent_.lend(bytes)};
}

void ReplayReceiver::fill(std::span<std::byte> slot) {
  if (!form_.decode) return folder_.read(part_.first, slot);
  const std::span stored(stored_.get(), form_.stored_bytes);
  folder_.read(part_.first, stored);
  form_.decode(stored, slot);
}

size_t ReplayReceiver::waiting_slots() const {
  const std::lock_guard lock(mutex_);
  const int64_t left = std::max(int64_t{0}, part_.end - part_.first + part_.stride - 1) / part_.stride;
  return std::min(static_cast<size_t>(left), slot_count_ - (received_count_ - released_count_));
}

void ReplayReceiver::take_back() noexcept {
  const std::lock_guard lock(mutex_);
  ++released_count_;
  released_.notify_one();
}

}  // namespace dflash
