// RankTransport, RankProcess: what a nccl channel between two ranks of a job needs where there is no GPU: a transport
// over MPI that blocks its stream as NCCL would, a simulated device, and a port whose messages go over a ByteLink.
#pragma once

#include <atomic>
#include <cstring>
#include <memory>
#include <string>

#include "common/channel/byte_link_messages.h"
#include "common/channel/nccl_channel.h"
#include "common/mpi/mpi_call.h"
#include "common/mpi/persistent_transfer.h"

namespace dflash {

class RankTransport final : public Transport {
 public:
  /// Both ends tell each other on which tag they receive.
  RankTransport(OwnComm& comm, int rank, Bootstrap& line, Deadline deadline)
      : RankTransport(comm, rank, "rank " + std::to_string(rank), line, deadline) {}
  RankTransport(OwnComm& comm, int rank, std::string name, Bootstrap& line, Deadline deadline)
      : comm_(comm), rank_(rank), receive_tag_(comm.take_tag()), name_(std::move(name)) {
    line.send(std::to_string(receive_tag_));
    send_tag_ = std::stoi(line.receive(deadline));
  }

  [[nodiscard]] const std::string& peer_name() const override { return name_; }
  void send(std::span<const std::byte> bytes) override {
    const auto block = std::make_shared<std::byte[]>(bytes.size());
    std::memcpy(block.get(), bytes.data(), bytes.size());
    (void)run(PersistentTransfer::to(comm_, rank_, send_tag_, block, bytes.size()));
  }
  void receive(std::span<std::byte> bytes) override {
    const auto block = std::make_shared<std::byte[]>(bytes.size());
    if (!run(PersistentTransfer::from(comm_, rank_, receive_tag_, block, bytes.size()))) return;
    std::memcpy(bytes.data(), block.get(), bytes.size());
  }
  void check() override {}
  [[nodiscard]] bool abort(Deadline /*deadline*/) noexcept override {
    aborted_ = true;
    return true;
  }

 private:
  /// False when it was aborted.
  bool run(PersistentTransfer transfer) {
    transfer.start();
    (void)poll_until(Deadline::after(std::chrono::hours(1)), [&] { return aborted_ || transfer.done(); });
    return !aborted_;
  }

  OwnComm& comm_;
  const int rank_;
  const int receive_tag_;
  int send_tag_ = -1;
  const std::string name_;
  std::atomic<bool> aborted_ = false;
};

/// Made by both ranks at the same point. `comm` must outlive it.
struct RankProcess {
  RankProcess(const RoleMap& roles, OwnComm& comm)
      : messages(roles),
        port(device, std::make_unique<ByteLinkMessages>(messages),
             [&comm](Bootstrap& line, int rank, bool /*makes_id*/, Deadline deadline) {
               return std::make_shared<RankTransport>(comm, rank, line, deadline);
             },
             {.slot_memory = MemoryKind::pinned, .patience = std::chrono::seconds(60)}) {}

  Device device = Device::sim({});
  ByteLink messages;
  NcclPort port;
};

}  // namespace dflash
