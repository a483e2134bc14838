// One rank of a run whose coordinator is played by the test: what run_worker hands to a worker's body.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "common/mpi/worker_main.h"
#include "tests/support/mpi_test.h"

namespace dflash {

inline Deadline late() {
  return Deadline::after(std::chrono::seconds(30));
}

/// Every rank makes its own, at the same point. Rank 0 is the coordinator; without a cast, the last rank is the drafter
/// and the rest are targets.
class TestWorker {
 public:
  explicit TestWorker(double stall_timeout_s = 30, const std::vector<Role>& cast = {})
      : roles_(cast.empty() ? gather_test_roles() : gather(cast)) {
    config_.mutable_run()->set_stall_timeout_s(stall_timeout_s);
    config_.mutable_pipeline()->set_hs_queue_depth(1);  // a target waits for two stall timeouts
    if (is_coordinator()) return;
    control_.emplace(links_.control, roles_);
    context_.emplace(WorkerContext{roles_, *control_, &links_, config_, nullptr});
  }
  TestWorker(const TestWorker&) = delete;
  TestWorker& operator=(const TestWorker&) = delete;

  [[nodiscard]] bool is_coordinator() const { return roles_.own_role() == Role::coordinator; }
  [[nodiscard]] bool is_target() const { return roles_.own_role() == Role::target && roles_.own_index() == 0; }
  [[nodiscard]] bool is_drafter() const { return roles_.own_role() == Role::drafter; }
  [[nodiscard]] const WorkerContext& context() const { return *context_; }
  /// To alter before the part under test is made.
  [[nodiscard]] RunConfig& config() { return config_; }
  [[nodiscard]] std::string stage() const { return context_->where().stage(); }
  [[nodiscard]] int64_t sequence() const { return context_->where().sequence(); }

  // The coordinator's side. Heartbeats are not looked at.
  [[nodiscard]] std::optional<Incoming> next_message(Deadline deadline) {
    std::optional<Incoming> incoming = links_.control.wait(deadline);
    while (incoming && incoming->message.has_heartbeat()) incoming = links_.control.wait(deadline);
    return incoming;
  }
  void expect_request(int count) {
    const auto incoming = next_message(late());
    ASSERT_TRUE(incoming && incoming->message.has_lease_request());
    EXPECT_EQ(incoming->rank, 1);
    EXPECT_EQ(incoming->message.lease_request().count(), count);
  }
  void grant(const std::vector<int64_t>& sequences, bool last = false) {
    ControlMessage message;
    auto* lease = message.mutable_lease_grant();
    lease->mutable_sequences()->Assign(sequences.begin(), sequences.end());
    lease->set_last(last);
    send_to(1, message);
  }
  void send_to(int rank, const ControlMessage& message) {
    links_.control.send(rank, message);
    links_.control.flush(late());
  }
  [[nodiscard]] bool hears_nothing() { return !next_message(Deadline::after(std::chrono::milliseconds(200))); }

 private:
  static RoleMap gather(const std::vector<Role>& cast) {
    return RoleMap::gather(mpi_env(), cast.at(static_cast<size_t>(mpi_env().world_rank())), late());
  }

  RoleMap roles_;
  RunLinks links_{roles_};
  RunConfig config_;
  std::optional<WorkerControl> control_;
  std::optional<WorkerContext> context_;
};

}  // namespace dflash
