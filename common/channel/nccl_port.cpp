#include "common/channel/nccl_port.h"

#include <algorithm>
#include <vector>

#include "common/base/format.h"
#include "common/base/log.h"

namespace dflash {

namespace {

constexpr std::chrono::microseconds kShortestPause{50};
constexpr std::chrono::milliseconds kPauseWhileBusy{1};
constexpr std::chrono::milliseconds kLongestPause{16};
constexpr std::chrono::seconds kAbortPatience{2};

}  // namespace

NcclPort::NcclPort(Device& device, std::unique_ptr<PortMessages> messages, MakeTransport make_transport,
                   const NcclPortSettings& settings)
    : device_(device),
      settings_(settings),
      make_transport_(std::move(make_transport)),
      communication_(device),
      messages_(std::move(messages)),
      address_(messages_->own_address()) {
  thread_ = std::make_unique<StageThread>(
      "nccl port", [this] { run(); },
      [this](const std::exception_ptr& error) {
        const std::lock_guard guard(mutex_);
        fail_all(error);
      });
}

NcclPort::~NcclPort() {
  std::vector<Hopeless> left;
  {
    std::unique_lock guard(mutex_);
    if (!changed_.wait_for(guard, settings_.leave_within, [this] { return is_done(); })) {
      log_warn("a port for frames between devices ends while some are on their way");
    }
    stopping_ = true;
    wake_.notify_all();
    const auto why = std::make_exception_ptr(Error(ErrorKind::peer_died, "the port of the channel has ended"));
    for (const auto& [number, link] : links_) {
      if (link->is_busy()) left.push_back({link, why});
    }
  }
  thread_->join();
  abort(left);
}

uint32_t NcclPort::add(const std::shared_ptr<NcclLink>& link) {
  const std::lock_guard guard(mutex_);
  if (broken_) std::rethrow_exception(broken_);
  if (sends_.value_or(link->sends()) != link->sends()) {
    throw Error(ErrorKind::internal, "a port of nccl channels is to send and to receive: give each its own");
  }
  sends_ = link->sends();
  links_[next_link_] = link;
  return next_link_++;
}

void NcclPort::leave(NcclLink& link) {
  link.leave();
  if (!link.is_connected()) forget(link);
  wake_.notify_all();
}

void NcclPort::tell(int address, const NcclMessage& message) {
  messages_->send(address, message.to_text());
  wake_.notify_all();  // an answer is to be expected
}

void NcclPort::run() {
  std::unique_lock guard(mutex_);
  std::chrono::nanoseconds pause = kShortestPause;
  while (!stopping_) {
    bool worked = work();
    const std::vector<Hopeless> hopeless = find_hopeless();
    worked = forget_finished() || worked;
    if (worked) changed_.notify_all();
    if (!hopeless.empty()) {
      guard.unlock();
      abort(hopeless);
      guard.lock();
    }
    const std::chrono::nanoseconds longest = any_busy() ? kPauseWhileBusy : kLongestPause;
    pause = worked ? kShortestPause : std::min(2 * pause, longest);
    if (wake_.wait_for(guard, pause) == std::cv_status::no_timeout) pause = kShortestPause;
  }
}

bool NcclPort::work() {
  bool worked = false;
  while (const std::optional<std::string> text = messages_->poll()) {
    deliver(NcclMessage::from_text(*text));
    worked = true;
  }
  for (const auto& [number, link] : links_) worked = link->look() || worked;
  return start_next_receive() || worked;
}

void NcclPort::deliver(const NcclMessage& message) {
  if (const auto found = links_.find(message.channel); found != links_.end()) return found->second->take(message);
  if (message.channel < next_link_) return;  // its end has gone meanwhile
  throw Error(ErrorKind::internal, format("a message for nccl channel {}, of {}", message.channel, next_link_));
}

bool NcclPort::start_next_receive() {
  if (receiving_ != nullptr && receiving_->is_busy()) return false;
  receiving_ = nullptr;
  while (!offers_.empty() && offers_.front()->is_connected()) {
    NcclReceiveLink* const link = offers_.front();
    offers_.pop_front();
    if (!link->start()) continue;
    receiving_ = link;
    return true;
  }
  return false;
}

std::vector<NcclPort::Hopeless> NcclPort::find_hopeless() {
  std::vector<Hopeless> hopeless;
  for (const auto& [number, link] : links_) {
    if (std::exception_ptr why = link->why_abort()) hopeless.push_back({link, std::move(why)});
  }
  return hopeless;
}

void NcclPort::abort(const std::vector<Hopeless>& hopeless) {
  for (const auto& [link, why] : hopeless) {
    Transport& transport = *link->peer().transport;
    if (communication_.abort(transport, why, Deadline::after(kAbortPatience))) continue;
    const std::lock_guard guard(mutex_);
    fail_all(std::make_exception_ptr(Error(
        ErrorKind::stall, format("the transfers with {} do not end, not even aborted: nothing more can be exchanged",
                                 transport.peer_name()))));
  }
}

/// A link whose end is destroyed stays for what is on its way, and to say that it has gone.
bool NcclPort::forget_finished() {
  bool any = false;
  for (auto entry = links_.begin(); entry != links_.end();) {
    const std::shared_ptr<NcclLink> link = (entry++)->second;
    if (!link->has_left() || link->is_busy()) continue;
    link->tell_gone();
    forget(*link);
    any = true;
  }
  return any;
}

void NcclPort::forget(const NcclLink& link) {
  std::erase_if(offers_, [&](const NcclLink* offered) { return offered == &link; });
  if (receiving_ == &link) receiving_ = nullptr;
  std::erase_if(links_, [&](const auto& entry) { return entry.second.get() == &link; });
}

bool NcclPort::any_busy() const {
  return std::any_of(links_.begin(), links_.end(), [](const auto& entry) { return entry.second->is_busy(); });
}

/// Nothing is on its way, and every peer knows which ends are destroyed; or nothing goes on.
bool NcclPort::is_done() const {
  return broken_ || std::none_of(links_.begin(), links_.end(),
                                 [](const auto& entry) { return entry.second->has_left() || entry.second->is_busy(); });
}

void NcclPort::fail_all(const std::exception_ptr& why) {
  if (!broken_) broken_ = why;
  for (const auto& [number, link] : links_) link->fail(why);
  changed_.notify_all();
}

}  // namespace dflash
