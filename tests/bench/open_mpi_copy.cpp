// Two ranks: how fast Open MPI's shared memory carries bytes, and how fast the channel `shm` does, by turns. Started by
// channel_bench under mpirun; prints a line for each payload size: "BYTES A B B A A B B A ...", in GB/s by the sender's
// clock until the reader has said that it has seen all (A: Open MPI, B: the channel).

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "common/base/bootstrap.h"
#include "common/base/stopwatch.h"
#include "common/channel/shm_channel.h"

namespace dflash::bench {
namespace {

constexpr size_t kMiB = size_t{1} << 20;
constexpr size_t kSlots = 4;  // as in channel_bench
constexpr int kRounds = 6;    // of A B B A
constexpr int kTextTag = 1, kFrameTag = 2, kSeenTag = 3;

Deadline late() {
  return Deadline::after(std::chrono::seconds(60));
}

class RankLine final : public Bootstrap {
 public:
  explicit RankLine(int peer) : peer_(peer) {}
  void send(const std::string& text) override {
    MPI_Send(text.data(), static_cast<int>(text.size()), MPI_BYTE, peer_, kTextTag, MPI_COMM_WORLD);
  }
  std::string receive(Deadline /*deadline*/) override {
    std::vector<char> text(4096);
    MPI_Status status;
    int size = 0;
    MPI_Recv(text.data(), static_cast<int>(text.size()), MPI_BYTE, peer_, kTextTag, MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_BYTE, &size);
    return {text.data(), static_cast<size_t>(size)};
  }

 private:
  const int peer_;
};

/// Looks at every line of cache.
void look(std::span<const std::byte> bytes) {
  uint64_t sum = 0;
  for (size_t i = 0; i < bytes.size(); i += 64) sum += static_cast<uint64_t>(bytes[i]);
  if (sum == 0) std::abort();
}

void say_seen() {
  MPI_Send(nullptr, 0, MPI_BYTE, 0, kSeenTag, MPI_COMM_WORLD);
}

/// GB/s of `frames` sends.
template <typename SendAll>
double rate(size_t bytes, int frames, SendAll send_all) {
  const Stopwatch watch;
  send_all();
  MPI_Recv(nullptr, 0, MPI_BYTE, 1, kSeenTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return static_cast<double>(bytes) * frames / static_cast<double>(watch.elapsed_ns());
}

void send_side(const ChannelShape& shape, int frames) {
  RankLine line(1);
  const auto sender = make_shm_sender(shape, line, late());
  const std::vector<std::byte> source(shape.slot_bytes, std::byte{1});
  const auto by_mpi = [&] {
    for (int i = 0; i < frames; ++i) {
      MPI_Send(source.data(), static_cast<int>(source.size()), MPI_BYTE, 1, kFrameTag, MPI_COMM_WORLD);
    }
  };
  const auto by_channel = [&] {
    for (int i = 0; i < frames; ++i) {
      auto [status, slot] = sender->acquire(late());
      std::memcpy(slot.bytes().data(), source.data(), source.size());
      (void)sender->send(std::move(slot));
    }
  };
  std::printf("%zu", shape.slot_bytes);
  for (int i = -2; i < 4 * kRounds; ++i) {
    const bool mpi = i < 0 ? i == -2 : i % 4 == 0 || i % 4 == 3;
    const double found = mpi ? rate(shape.slot_bytes, frames, by_mpi) : rate(shape.slot_bytes, frames, by_channel);
    if (i >= 0) std::printf(" %.4f", found);  // the first two warm up
  }
  std::printf("\n");
  std::fflush(stdout);
  (void)sender->finish(late());
}

void read_side(const ChannelShape& shape, int frames) {
  RankLine line(0);
  const auto receiver = make_shm_receiver(shape, line, late());
  std::vector<std::byte> to(shape.slot_bytes);
  for (int i = -2; i < 4 * kRounds; ++i) {
    const bool mpi = i < 0 ? i == -2 : i % 4 == 0 || i % 4 == 3;
    for (int frame = 0; frame < frames; ++frame) {
      if (mpi) {
        MPI_Recv(to.data(), static_cast<int>(to.size()), MPI_BYTE, 0, kFrameTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        look(to);
      } else {
        auto [status, slot] = receiver->receive(late());
        if (status != ChannelStatus::ok) std::abort();
        look(slot.bytes());
      }
    }
    say_seen();
  }
  auto [status, slot] = receiver->receive(late());  // the end of the stream
}

}  // namespace
}  // namespace dflash::bench

int main(int argc, char** argv) {
  using namespace dflash::bench;
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (const size_t mib : {1, 4, 16, 64}) {
    const dflash::ChannelShape shape{mib * kMiB, kSlots, 1, false};
    const int frames = static_cast<int>(256 / mib);
    if (rank == 0) {
      send_side(shape, frames);
    } else {
      read_side(shape, frames);
    }
  }
  MPI_Finalize();
}
