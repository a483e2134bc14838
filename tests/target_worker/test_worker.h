// One rank of a run whose coordinator is played by the test: what run_worker hands to a worker's body.
#pragma once

#include <gtest/gtest.h>

#include "common/mpi/worker_main.h"
#include "tests/support/mpi_test.h"

namespace dflash {

inline Deadline late() {
  return Deadline::after(std::chrono::seconds(30));
}

/// Every rank makes its own, at the same point: rank 0 is the coordinator, rank 1 the target, rank 2 looks on.
class TestWorker {
 public:
  explicit TestWorker(double stall_timeout_s = 30) {
    config_.mutable_run()->set_stall_timeout_s(stall_timeout_s);
    config_.mutable_pipeline()->set_hs_queue_depth(1);  // a target waits for two stall timeouts
  }
  TestWorker(const TestWorker&) = delete;
  TestWorker& operator=(const TestWorker&) = delete;

  [[nodiscard]] bool is_coordinator() const { return roles_.own_role() == Role::coordinator; }
  [[nodiscard]] bool is_target() const { return roles_.own_role() == Role::target; }
  [[nodiscard]] const WorkerContext& context() const { return context_; }
  [[nodiscard]] const Whereabouts& where() const { return where_; }

  // The coordinator's side.
  void expect_request(int count) {
    const auto incoming = link_.wait(late());
    ASSERT_TRUE(incoming && incoming->message.has_lease_request());
    EXPECT_EQ(incoming->rank, 1);
    EXPECT_EQ(incoming->message.lease_request().count(), count);
  }
  void grant(const std::vector<int64_t>& sequences, bool last = false) {
    ControlMessage message;
    auto* lease = message.mutable_lease_grant();
    lease->mutable_sequences()->Assign(sequences.begin(), sequences.end());
    lease->set_last(last);
    send_to_target(message);
  }
  void send_to_target(const ControlMessage& message) {
    link_.send(1, message);
    link_.flush(late());
  }
  [[nodiscard]] bool hears_nothing() { return !link_.wait(Deadline::after(std::chrono::milliseconds(200))); }

 private:
  RoleMap roles_ = gather_test_roles();
  ControlLink link_{roles_};
  MpiBootstrapFactory bootstraps_{roles_};
  RunConfig config_;
  Whereabouts where_;
  WorkerContext context_{roles_, link_, bootstraps_, config_, where_};
};

}  // namespace dflash
