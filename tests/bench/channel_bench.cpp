// The group `channel`: what a hand-off costs, and how fast bytes are copied through a channel. Two processes, and for
// the hand-off a third one that keeps a core busy.

#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iterator>
#include <new>
#include <sstream>
#include <string>
#include <thread>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/stopwatch.h"
#include "common/channel/shm_channel.h"
#include "tests/bench/bench_table.h"
#include "tests/support/socket_bootstrap.h"

namespace dflash::bench {
namespace {

using Clock = std::chrono::steady_clock;  // the same in all processes of a machine
constexpr size_t kMiB = size_t{1} << 20;

Deadline late() {
  return Deadline::after(std::chrono::seconds(60));
}

int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch()).count();
}

/// What both processes of a measurement share beside the channel.
struct Shared {
  sem_t wake;                     // the bare wake-up
  std::atomic<int64_t> woken_ns;  // when the waiter was back
  std::atomic<int64_t> rounds_done;
};

Shared& make_shared_page() {
  void* page = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* shared = new (page) Shared();
  sem_init(&shared->wake, 1, 0);
  return *shared;
}

/// Runs `body` in a process of its own; the destructor waits for its end, or ends it.
class Child {
 public:
  template <typename Body>
  explicit Child(Body body, bool endless = false) : endless_(endless), pid_(fork()) {
    if (pid_ != 0) return;
    body();
    _exit(0);
  }
  ~Child() {
    if (endless_) kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

 private:
  bool endless_;
  pid_t pid_;
};

/// Looks at every line of cache.
uint64_t read_all(std::span<const std::byte> bytes) {
  uint64_t sum = 0;
  for (size_t i = 0; i < bytes.size(); i += 64) sum += static_cast<uint64_t>(bytes[i]);
  return sum;
}

// Blocks of wake-ups, A B B A: bare, through the channel, through the channel, bare.
constexpr int kBlockWakeUps = 50;
constexpr int kHandOffWakeUps = 24 * 4 * kBlockWakeUps;

bool is_bare(int wake_up) {
  const int block = wake_up / kBlockWakeUps;
  return block % 4 == 0 || block % 4 == 3;
}

void wait_side(const ChannelShape& shape, Bootstrap& line, Shared& shared) {
  const auto receiver = make_shm_receiver(shape, line, late());
  for (int i = 0; i < kHandOffWakeUps; ++i) {
    if (is_bare(i)) {
      while (sem_wait(&shared.wake) != 0) {
      }
      shared.woken_ns = now_ns();
    } else {
      auto [status, slot] = receiver->receive(late());
      shared.woken_ns = now_ns();
    }
    ++shared.rounds_done;
  }
}

/// Microseconds of every wake-up; the waiter sleeps before each.
std::vector<double> measure_hand_offs(size_t slot_bytes) {
  const ChannelShape shape{slot_bytes, 2, 1, false};
  Shared& shared = make_shared_page();
  auto [own, other] = SocketBootstrap::make_pair();
  const Child waiter([&, &line = *other] { wait_side(shape, line, shared); });
  const Child busy(
      [] {
        for (std::atomic<uint64_t> i = 0;; ++i) {
        }
      },
      true);
  const auto sender = make_shm_sender(shape, *own, late());
  std::vector<double> all_us;
  for (int i = 0; i < kHandOffWakeUps; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // the waiter is asleep again
    int64_t begin_ns = 0;
    if (is_bare(i)) {
      begin_ns = now_ns();
      sem_post(&shared.wake);
    } else {
      auto [status, slot] = sender->acquire(late());
      begin_ns = now_ns();
      (void)sender->send(std::move(slot));
    }
    while (shared.rounds_done <= i) std::this_thread::sleep_for(std::chrono::microseconds(200));
    all_us.push_back(static_cast<double>(shared.woken_ns - begin_ns) * 1e-3);
  }
  (void)sender->finish(late());
  return all_us;
}

double percentile(std::vector<double> values, double share) {
  std::ranges::sort(values);
  return values[static_cast<size_t>(share * static_cast<double>(values.size() - 1))];
}

/// The p-th of all wake-ups of one kind: too few in a block for a tail.
Row tail_row(const std::string& name, const std::vector<double>& all_us) {
  std::vector<double> channel_us, bare_us;
  for (size_t i = 0; i < all_us.size(); ++i) (is_bare(static_cast<int>(i)) ? bare_us : channel_us).push_back(all_us[i]);
  const double ours = percentile(channel_us, 0.99), bare = percentile(bare_us, 0.99);
  return {name + ", p99", ours, "us", format("a bare semaphore wake-up ({:.3g} us)", bare), ours / bare, {}, {}, {}};
}

void bench_hand_off(BenchTable& table) {
  for (const size_t mib : {1, 16, 64}) {
    const std::vector<double> all_us = measure_hand_offs(mib * kMiB);
    std::vector<double> block_medians;
    for (auto block = all_us.begin(); block != all_us.end(); block += kBlockWakeUps) {
      block_medians.push_back(median({block, block + kBlockWakeUps}));
    }
    const std::string name =
        format("hand-off of {} MiB over shm, send() to receive() returning, a third process busy", mib);
    table.add(name + ", p50", "us", "a bare semaphore wake-up", pair_up(block_medians), Goal{1.5, /*at_most=*/true});
    table.add(tail_row(name, all_us));
  }
}

/// Of the channels over which bytes are copied. A run whose queues are 60 batches deep has as many on each of up to 15
/// links, and more on fewer; with two of 1 MiB, writer and reader fight for the same lines of cache.
constexpr size_t kCopySlots = 4;

enum class Reader : uint8_t { gives_back, reads_every_line };

/// Frames of one size through a channel to another process; GB/s by the sender's clock.
class CopyChannel {
 public:
  CopyChannel(size_t bytes, Reader reader)
      : reader_kind_(reader),
        shape_{bytes, kCopySlots, 1, false},
        source_(bytes, std::byte{1}),
        line_(SocketBootstrap::make_pair()),
        reader_([&] { read_side(); }) {
    sender_ = make_shm_sender(shape_, *line_.first, late());
  }
  ~CopyChannel() { (void)sender_->finish(late()); }
  CopyChannel(const CopyChannel&) = delete;
  CopyChannel& operator=(const CopyChannel&) = delete;

  void send_one() {
    auto [status, slot] = sender_->acquire(late());
    std::memcpy(slot.bytes().data(), source_.data(), source_.size());
    (void)sender_->send(std::move(slot));
  }

 private:
  void read_side() {
    const auto receiver = make_shm_receiver(shape_, *line_.second, late());
    for (;;) {
      auto [status, slot] = receiver->receive(late());
      if (status != ChannelStatus::ok) return;
      if (reader_kind_ == Reader::reads_every_line && read_all(slot.bytes()) == 0) std::abort();
    }
  }
  const Reader reader_kind_;
  const ChannelShape shape_;
  const std::vector<std::byte> source_;
  SocketBootstrap::Pair line_;
  std::unique_ptr<Sender> sender_;
  const Child reader_;  // its end waits for the reader: after the sender's
};

/// GB/s of copies of `bytes`, after some that bring the caches to what this way of copying leaves in them.
double rate(size_t bytes, const std::function<void()>& copy_one) {
  constexpr size_t kMeasuredBytes = 512 * kMiB;
  for (size_t i = 0; i < kCopySlots; ++i) copy_one();
  const Stopwatch watch;
  for (size_t i = 0; i < kMeasuredBytes / bytes; ++i) copy_one();
  return static_cast<double>(kMeasuredBytes) / static_cast<double>(watch.elapsed_ns());
}

void bench_copy(BenchTable& table) {
  for (const size_t mib : {1, 4, 16, 64}) {
    const size_t bytes = mib * kMiB;
    const std::vector<std::byte> source(bytes, std::byte{1});
    std::vector<std::vector<std::byte>> to(kCopySlots, std::vector<std::byte>(bytes));
    size_t next = 0;
    const auto memcpy_one = [&] { std::memcpy(to[next++ % kCopySlots].data(), source.data(), bytes); };
    const auto add = [&](Reader reader, const char* what, std::optional<Goal> goal) {
      CopyChannel channel(bytes, reader);
      const Paired paired = measure_paired([&] { return rate(bytes, memcpy_one); },
                                           [&] { return rate(bytes, [&] { channel.send_one(); }); }, 8);
      table.add(format("copy channel, {} MiB payloads, one copy in, {} in another process", mib, what), "GB/s",
                "memcpy of the same size", paired, goal);
    };
    add(Reader::gives_back, "received", Goal{0.9});
    add(Reader::reads_every_line, "every line read", std::nullopt);  // nobody reads what memcpy wrote: no goal
  }
}

/// Open MPI's shared memory with two copies (no CMA, no KNEM): open_mpi_copy measures both by turns.
void bench_against_open_mpi(BenchTable& table) {
  FILE* pipe = popen(DFLASH_OPEN_MPI_COPY, "r");
  if (pipe == nullptr) throw Error(ErrorKind::internal, "cannot start " DFLASH_OPEN_MPI_COPY);
  std::string text;
  char piece[4096];
  for (size_t count = 0; (count = fread(piece, 1, sizeof piece, pipe)) > 0;) text.append(piece, count);
  if (pclose(pipe) != 0) throw Error(ErrorKind::internal, "this failed: " DFLASH_OPEN_MPI_COPY);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    size_t bytes = 0;
    words >> bytes;
    table.add(format("channel shm, {} MiB payloads, one copy in, every line read in another process", bytes / kMiB),
              "GB/s", "Open MPI's shared memory without CMA", pair_up({std::istream_iterator<double>(words), {}}),
              Goal{3});
  }
}

}  // namespace
}  // namespace dflash::bench

int main(int argc, char** argv) {
  using namespace dflash::bench;
  return run_group(argc, argv, "channel", {bench_hand_off, bench_copy, bench_against_open_mpi});
}
