// NcclPort: everything that a process exchanges with other devices: one stream and one communication thread for the
// channels of all its peers, and the words that keep them from waiting for each other.
//
//   NcclPort port(device, std::move(messages), make_transport, {.slot_memory = MemoryKind::device, .patience = 300s});
//   auto sender = make_nccl_sender(shape, bootstrap, deadline, port);                        nccl_channel.h
//
// On one stream transfers are done in the order in which they are enqueued, and each blocks it until the other end has
// enqueued its half. So:
//   * a frame is received only after it was offered, and sent only after the receiver has said go;
//   * a port has one receive enqueued at a time: the offers of all its channels are answered in the order of arrival.
// A port that has said go waits for that one frame, whose sender has nothing before it but frames for which others have
// said go, and wait too. So the first frame of every sender is matched at once, and no circle of ports can form: as
// long as a port does not both send and receive, behind each other on its stream. So each does only the one or the
// other.
//
// While a transfer is under way its transport is asked for errors (communication_thread.h), and the peer's process is
// watched when it is one of this node. A transfer that does not end within `patience`, or whose peer is gone, is
// aborted within two seconds; the channels of other peers go on.
//
// Threading: any thread. Owns: its thread, the communication thread with its stream, the links. Must outlive the ends
// of its channels, but not their slots. The destructor waits a few seconds for frames that are on their way.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "common/base/bootstrap.h"
#include "common/channel/nccl_links.h"
#include "common/channel/watched_wait.h"
#include "common/pipeline/stage_thread.h"

namespace dflash {

/// A transport to the process at the other end of the line, whose port has this address. Called at both ends, at one of
/// them with `makes_id`.
using MakeTransport =
    std::function<std::shared_ptr<Transport>(Bootstrap& line, int address, bool makes_id, Deadline deadline)>;

struct NcclPortSettings {
  MemoryKind slot_memory = MemoryKind::device;                      ///< pinned: slots that the host may read and write
  std::chrono::nanoseconds patience{0};                             ///< for one frame, from go to its end
  std::chrono::nanoseconds leave_within = std::chrono::seconds(5);  ///< for what is on its way when the port ends
};

class NcclPort {
 public:
  /// `device` and what `make_transport` refers to must outlive the port.
  NcclPort(Device& device, std::unique_ptr<PortMessages> messages, MakeTransport make_transport,
           const NcclPortSettings& settings);
  ~NcclPort();
  NcclPort(const NcclPort&) = delete;
  NcclPort& operator=(const NcclPort&) = delete;

  [[nodiscard]] int address() const { return address_; }
  [[nodiscard]] NcclSlots make_slots(const ChannelShape& shape, size_t count) {
    return {device_, settings_.slot_memory, shape.slot_bytes, count};
  }
  [[nodiscard]] const NcclPortSettings& settings() const { return settings_; }
  [[nodiscard]] std::shared_ptr<Transport> make_transport(Bootstrap& line, int address, bool makes_id,
                                                          Deadline deadline) {
    return make_transport_(line, address, makes_id, deadline);
  }
  /// From here on its messages are heard. Its number, which the peer is to be told. Error{internal} for an end that
  /// sends in a port that receives, and the other way round.
  [[nodiscard]] uint32_t add(const std::shared_ptr<NcclLink>& link);

  // For the ends and links, which touch nothing of a link without this lock.
  [[nodiscard]] std::unique_lock<std::mutex> lock() { return std::unique_lock(mutex_); }
  template <typename Ready>
  [[nodiscard]] Waited wait(std::unique_lock<std::mutex>& lock, const NcclLink& link, Deadline deadline, Ready ready) {
    return watched_wait(link.peer().process, deadline,
                        [&](Deadline until) { return changed_.wait_until(lock, until.when(), ready); });
  }
  /// Its end is being destroyed: what is on its way goes on, then the link is forgotten.
  void leave(NcclLink& link);
  void tell(int address, const NcclMessage& message);
  void queue_offer(NcclReceiveLink& link) { offers_.push_back(&link); }
  [[nodiscard]] CommunicationThread& thread() { return communication_; }
  [[nodiscard]] std::chrono::nanoseconds patience() const { return settings_.patience; }

 private:
  struct Hopeless {
    std::shared_ptr<NcclLink> link;
    std::exception_ptr why;
  };
  using Links = std::map<uint32_t, std::shared_ptr<NcclLink>>;

  void run();
  [[nodiscard]] bool work();
  void deliver(const NcclMessage& message);
  [[nodiscard]] bool start_next_receive();
  [[nodiscard]] std::vector<Hopeless> find_hopeless();
  void abort(const std::vector<Hopeless>& hopeless);
  [[nodiscard]] bool forget_finished();
  void forget(const NcclLink& link);
  [[nodiscard]] bool any_busy() const;
  [[nodiscard]] bool is_done() const;
  void fail_all(const std::exception_ptr& why);

  Device& device_;
  const NcclPortSettings settings_;
  const MakeTransport make_transport_;
  CommunicationThread communication_;
  std::mutex mutex_;  // guards what follows, and the links
  std::condition_variable changed_;
  std::condition_variable wake_;
  std::unique_ptr<PortMessages> messages_;
  const int address_;
  Links links_;
  uint32_t next_link_ = 0;
  std::optional<bool> sends_;                   // as its first link does
  std::deque<NcclReceiveLink*> offers_;         // in the order of arrival; of links that are in links_
  const NcclReceiveLink* receiving_ = nullptr;  // whose receive was enqueued last
  std::exception_ptr broken_;                   // nothing goes on, of any channel
  bool stopping_ = false;
  std::unique_ptr<StageThread> thread_;  // last: it uses the members above
};

}  // namespace dflash
