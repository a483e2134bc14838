// Not a test: a job of two ranks in which rank 0 kills rank 1, started by lost_peer_test. `lost_peer_run KIND`.
//
// Rank 0 has a channel for everything that an end can be doing when its peer dies, each with a thread of its own, and
// prints a line for each: "NAME: STATUS, then STATUS, N frames, T ms". The second status is that of a repeated call,
// the frames are those that were received whole, the time counts from the kill. mpirun must leave rank 0 the time for
// it.
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <iostream>
#include <thread>
#include <vector>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/channel/channel_kind.h"
#include "common/mpi/mpi_bootstrap.h"
#include "common/mpi/mpi_env.h"
#include "tests/channel/rank_transport.h"

using namespace dflash;
using namespace std::chrono_literals;

namespace {

constexpr ChannelShape kSmall{.slot_bytes = 200, .slot_count = 3, .layout_hash = 1, .payload_checksum = true};
constexpr ChannelShape kLarge{.slot_bytes = 4 << 20, .slot_count = 3, .layout_hash = 1, .payload_checksum = true};

std::atomic<bool> killed = false;
std::atomic<Deadline::Clock::time_point> killed_at;

Deadline late() {
  return Deadline::after(10s);
}

const char* name_of(ChannelStatus status) {
  return std::array{"ok", "end_of_stream", "timeout", "closed", "peer_lost"}.at(static_cast<size_t>(status));
}

void send_frames(Sender& sender, size_t count) {
  for (size_t frame = 0; frame < count; ++frame) {
    auto [status, slot] = sender.acquire(late());
    if (status != ChannelStatus::ok) return;
    std::memset(slot.bytes().data(), static_cast<int>(frame), slot.bytes().size());
    (void)sender.send(std::move(slot));
  }
}

/// How an end went on: its first status that is not ok, and that of the same call repeated.
struct Ending {
  ChannelStatus first;
  ChannelStatus second;
  size_t frames;
};

Ending receive_all(Receiver& receiver) {
  size_t frames = 0;
  ChannelStatus status = ChannelStatus::ok;
  while ((status = receiver.receive(late()).first) == ChannelStatus::ok) ++frames;
  return {status, receiver.receive(late()).first, frames};
}

Ending acquire_all(Sender& sender) {
  send_frames(sender, kSmall.slot_count);
  return {sender.acquire(late()).first, sender.acquire(late()).first, 0};
}

Ending finish(Sender& sender) {
  send_frames(sender, 1);
  return {sender.finish(late()), sender.finish(late()), 0};
}

Ending send_after_the_kill(Sender& sender) {
  auto [status, slot] = sender.acquire(late());
  while (!killed) std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(100ms);  // the kernel needs a moment to end a process
  return {sender.send(std::move(slot)), sender.acquire(late()).first, 0};
}

Ending receive_after_the_kill(Receiver& receiver) {
  while (!killed) std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(100ms);
  return receive_all(receiver);
}

void print(const char* name, const std::function<Ending()>& run) {
  const Ending ending = run();
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Deadline::Clock::now() - killed_at.load());
  std::cout << format("{}: {}, then {}, {} frames, {} ms\n", name, name_of(ending.first), name_of(ending.second),
                      ending.frames, took.count())
            << std::flush;
}

/// The channels of both ranks, made in the same order.
class Ends {
 public:
  Ends(ChannelKind kind, Bootstrap& line, OwnComm& comm, int peer_rank, RankProcess& sends, RankProcess& receives)
      : kind_(kind), line_(line), comm_(comm), peer_rank_(peer_rank), sends_(sends), receives_(receives) {}

  std::unique_ptr<Receiver> receiver(const ChannelShape& shape) const {
    return make_receiver(kind_, shape, peer(receives_), late());
  }
  std::unique_ptr<Sender> sender(const ChannelShape& shape) const {
    return make_sender(kind_, shape, peer(sends_), late());
  }

 private:
  [[nodiscard]] ChannelPeer peer(RankProcess& own) const {
    return {.bootstrap = line_, .comm = comm_, .rank = peer_rank_, .device = &own.device, .port = &own.port};
  }

  ChannelKind kind_;
  Bootstrap& line_;
  OwnComm& comm_;
  int peer_rank_;
  RankProcess& sends_;  // a port of kind nccl either sends or receives
  RankProcess& receives_;
};

void survive(const Ends& ends, Bootstrap& line) {
  signal(SIGTERM, SIG_IGN);  // mpirun's way to end us when rank 1 died
  const auto nothing = ends.receiver(kSmall), half = ends.receiver(kSmall), whole = ends.receiver(kSmall),
             large = ends.receiver(kLarge);
  const auto full = ends.sender(kSmall), ended = ends.sender(kSmall), held = ends.sender(kSmall);
  const pid_t victim = std::stoi(line.receive(late()));
  std::vector<std::thread> threads;
  const auto start = [&](const char* name, std::function<Ending()> run) { threads.emplace_back(print, name, run); };
  start("receive, nothing sent", [&] { return receive_all(*nothing); });
  start("receive, half written", [&] { return receive_all(*half); });
  start("receive, whole sent", [&] { return receive_after_the_kill(*whole); });
  start("receive, large under way", [&] { return receive_all(*large); });
  start("acquire", [&] { return acquire_all(*full); });
  start("finish", [&] { return finish(*ended); });
  start("send", [&] { return send_after_the_kill(*held); });
  std::this_thread::sleep_for(500ms);
  killed_at = Deadline::Clock::now();
  kill(victim, SIGKILL);
  killed = true;
  for (std::thread& thread : threads) thread.join();
}

void be_killed(const Ends& ends, Bootstrap& line) {
  const auto nothing = ends.sender(kSmall), half = ends.sender(kSmall), whole = ends.sender(kSmall),
             large = ends.sender(kLarge);
  const auto full = ends.receiver(kSmall), ended = ends.receiver(kSmall), held = ends.receiver(kSmall);
  send_frames(*half, 1);
  const SendSlot slot = half->acquire(late()).second;
  std::memset(slot.bytes().data(), 1, slot.bytes().size() / 2);
  send_frames(*whole, 2);
  line.send(std::to_string(getpid()));
  for (;;) send_frames(*large, 1);
}

ChannelKind kind_of(const std::string& name) {
  for (const ChannelKind kind : {ChannelKind::shm, ChannelKind::pinned_host, ChannelKind::nccl, ChannelKind::mpi}) {
    if (name == channel_kind_name(kind)) return kind;
  }
  throw Error(ErrorKind::config, "lost_peer_run wants a kind of channel between two ranks, not " + name);
}

}  // namespace

int main(int argc, char** argv) {
  const ChannelKind kind = kind_of(argc == 2 ? argv[1] : "nothing");
  const MpiEnv env;
  const int peer_rank = 1 - env.world_rank();
  const RoleMap roles({Role::coordinator, Role::target, Role::drafter}, env.world_rank());
  MpiBootstrapFactory factory(roles);
  OwnComm comm = OwnComm::of_world();
  const auto line = factory.connect(peer_rank);
  RankProcess to_rank_0(roles, comm), to_rank_1(roles, comm);
  if (env.world_rank() == 1) be_killed(Ends(kind, *line, comm, peer_rank, to_rank_0, to_rank_1), *line);
  survive(Ends(kind, *line, comm, peer_rank, to_rank_1, to_rank_0), *line);
  std::_Exit(0);  // there is no MPI_Finalize without rank 1
}
