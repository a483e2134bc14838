// Three ranks: coordinator 0, played by the test over its link; target 1 and drafter 2 run the workers' half of the
// handshake.
#include <gtest/gtest.h>

#include "common/mpi/handshake.h"
#include "tests/support/errors.h"
#include "tests/support/mpi_test.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;

Deadline late() {
  return Deadline::after(30s);
}

class WorkerHandshake : public testing::Test {
 protected:
  const RoleMap roles = gather_test_roles();
  ControlLink link{roles};

  [[nodiscard]] bool coordinates() const { return roles.own_role() == Role::coordinator; }
  /// The next message to the coordinator that is no heartbeat.
  [[nodiscard]] Incoming hear() {
    for (;;) {
      const std::optional<Incoming> incoming = link.wait(late());
      if (!incoming) throw Error(ErrorKind::stall, "no message came");
      if (!incoming->message.has_heartbeat()) return *incoming;
    }
  }
  void answer_all(const ControlMessage& message) {
    for (const int rank : roles.workers()) link.send(rank, message);
    link.flush(late());
  }
};

TEST_F(WorkerHandshake, HelloSaysTheBuildAndBringsTheSettings) {
  if (coordinates()) {
    for (int count = 0; count < 2; ++count) EXPECT_EQ(hear().message.hello().build_hash(), build_hash());
    ControlMessage message;
    message.mutable_welcome()->mutable_config()->mutable_run()->set_seed(42);
    message.mutable_welcome()->mutable_resume()->set_step(10);
    answer_all(message);
    (void)hear();
    (void)hear();
    return;
  }
  WorkerControl control(link, roles);
  const Welcome welcome = join_run(control, late());
  EXPECT_EQ(welcome.config().run().seed(), 42U);
  EXPECT_EQ(welcome.resume().step(), 10);
  ControlMessage message;
  message.mutable_lease_request()->set_count(1);
  control.send(message);
}

TEST_F(WorkerHandshake, ReadySaysTheHashesAndADrafterNoneOfData) {
  if (coordinates()) {
    for (int count = 0; count < 2; ++count) {
      const Incoming incoming = hear();
      const Ready& ready = incoming.message.ready();
      EXPECT_EQ(ready.config_hash(), 1U);
      EXPECT_EQ(ready.layout_hash(), 2U);
      const bool target = roles.role_of(incoming.rank) == Role::target;
      EXPECT_EQ(ready.has_data_hash(), target);
      EXPECT_EQ(ready.data_hash(), target ? 3U : 0U);
    }
    ControlMessage message;
    message.mutable_start()->set_total_steps(600);
    return answer_all(message);
  }
  WorkerControl control(link, roles);
  const AgreedHashes hashes{.config = 1, .layout = 2, .data = 3};
  EXPECT_EQ(report_ready(control, roles.own_role(), hashes, late()).total_steps(), 600);
}

TEST_F(WorkerHandshake, ACoordinatorThatSaysNothingIsAStall) {
  if (coordinates()) {
    for (int count = 0; count < 2; ++count) (void)hear();
    for (int count = 0; count < 2; ++count) (void)hear();
    return;
  }
  WorkerControl control(link, roles);
  expect_error(ErrorKind::stall, "no welcome from the coordinator within the time",
               [&] { (void)join_run(control, Deadline::after(50ms)); });
  expect_error(ErrorKind::stall, "no start from the coordinator within the time",
               [&] { (void)report_ready(control, Role::target, {}, Deadline::after(50ms)); });
}

TEST_F(WorkerHandshake, AMessageOutOfTurnIsRefused) {
  if (coordinates()) {
    for (int count = 0; count < 2; ++count) (void)hear();
    ControlMessage message;
    message.mutable_start();
    return answer_all(message);
  }
  WorkerControl control(link, roles);
  expect_error(ErrorKind::internal, "the coordinator sent start when welcome was due",
               [&] { (void)join_run(control, late()); });
}

TEST(MessageName, IsThatOfTheProtocol) {
  ControlMessage message;
  EXPECT_EQ(message_name(message), "an empty message");
  message.mutable_step_report();
  EXPECT_EQ(message_name(message), "step_report");
  message.mutable_abort();
  EXPECT_EQ(message_name(message), "abort");
}

}  // namespace
}  // namespace dflash
