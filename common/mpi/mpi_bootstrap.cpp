#include "common/mpi/mpi_bootstrap.h"

#include <deque>
#include <map>
#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/mpi/byte_link.h"

namespace dflash {

namespace {

constexpr size_t kMostBytes = 4096;

/// What came from each rank and was not asked for yet: strings of one peer may arrive while another is awaited.
using Inbox = std::map<int, std::deque<std::string>>;

class MpiBootstrap final : public Bootstrap {
 public:
  MpiBootstrap(ByteLink& link, Inbox& inbox, int rank) : link_(link), inbox_(inbox), rank_(rank) {}

  void send(const std::string& text) override {
    if (text.size() > kMostBytes) {
      throw Error(ErrorKind::internal, format("a string of {} bytes to {} is larger than the {} that may be sent",
                                              text.size(), link_.roles().describe(rank_), kMostBytes));
    }
    link_.send(rank_, text);
  }

  std::string receive(Deadline deadline) override {
    std::deque<std::string>& own = inbox_[rank_];
    while (own.empty()) {
      std::optional<IncomingBytes> incoming = link_.wait(deadline);
      if (!incoming) {
        throw Error(ErrorKind::stall, format("{} did not say where its end of a channel is within the time",
                                             link_.roles().describe(rank_)));
      }
      inbox_[incoming->rank].push_back(std::move(incoming->bytes));
    }
    std::string text = std::move(own.front());
    own.pop_front();
    return text;
  }

 private:
  ByteLink& link_;
  Inbox& inbox_;
  const int rank_;
};

}  // namespace

struct MpiBootstrapFactory::State {
  ByteLink link;
  Inbox inbox;
};

MpiBootstrapFactory::MpiBootstrapFactory(const RoleMap& roles) : state_(new State{ByteLink(roles), {}}) {}
MpiBootstrapFactory::~MpiBootstrapFactory() = default;

std::unique_ptr<Bootstrap> MpiBootstrapFactory::connect(int rank) {
  return std::make_unique<MpiBootstrap>(state_->link, state_->inbox, rank);
}

}  // namespace dflash
