#include "common/nccl/nccl_transport.h"

#include <dlfcn.h>
#include <nccl.h>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/nccl/nccl_comm.h"

namespace dflash {
namespace {

class NcclTransport final : public Transport {
 public:
  NcclTransport(const std::string& id, const NcclRanks& ranks, int device_ordinal, const std::string& peer_name,
                Deadline deadline)
      : comm_(id, ranks, device_ordinal, peer_name, deadline) {}

  [[nodiscard]] const std::string& peer_name() const override { return comm_.peer_name(); }
  void send(std::span<const std::byte> bytes) override { comm_.send(bytes); }
  void receive(std::span<std::byte> bytes) override { comm_.receive(bytes); }
  void check() override { comm_.check(); }
  [[nodiscard]] bool abort(Deadline deadline) noexcept override { return comm_.abort(deadline); }

 private:
  NcclComm comm_;
};

/// 2.28.9 of 22809.
std::string version_text(int code) {
  return format("{}.{}.{}", code / 10000, code / 100 % 100, code % 100);
}

}  // namespace

std::unique_ptr<Transport> make_nccl_transport(Bootstrap& bootstrap, bool makes_id, int device_ordinal,
                                               const std::string& peer_name, Deadline deadline) {
  std::string id;
  if (makes_id) {
    id = make_nccl_id();
    bootstrap.send(id);
  } else {
    id = bootstrap.receive(deadline);
  }
  const NcclRanks ranks{.ranks = 2, .rank = makes_id ? 0 : 1, .peer = makes_id ? 1 : 0};
  return std::make_unique<NcclTransport>(id, ranks, device_ordinal, peer_name, deadline);
}

std::string check_nccl_library() {
  int version = 0;
  const ncclResult_t code = ncclGetVersion(&version);
  Dl_info where{};
  const bool known = dladdr(reinterpret_cast<const void*>(&ncclGetVersion), &where) != 0 && where.dli_fname != nullptr;
  const std::string path = known ? where.dli_fname : "an unknown file";
  if (code != ncclSuccess || version != NCCL_VERSION_CODE) {
    throw Error(ErrorKind::config,
                format("NCCL {} was loaded from {}, but this program was built with {}: an older copy stands first on "
                       "the search path (LD_LIBRARY_PATH)",
                       version_text(version), path, version_text(NCCL_VERSION_CODE)));
  }
  return format("NCCL {} from {}", version_text(version), path);
}

}  // namespace dflash
