// Four ranks: coordinator 0, targets 1 and 2, drafter 3. Each test is the start of a run of its own: the coordinator's
// half on rank 0, the workers' halves (common/mpi/handshake.h) on the others.
#include "coordinator/roll_call.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "tests/support/errors.h"
#include "tests/support/mpi_test.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;

Deadline late() {
  return Deadline::after(30s);
}

constexpr AgreedHashes kHashes{.config = 0xc, .layout = 0x1a, .data = 0xd};

class RollCall : public testing::Test {
 protected:
  const RoleMap roles = gather_test_roles();
  ControlLink link{roles};

  [[nodiscard]] bool coordinates() const { return roles.own_role() == Role::coordinator; }

  void say(const std::function<void(ControlMessage&)>& fill) {
    ControlMessage message;
    fill(message);
    link.send(roles.coordinator_rank(), message);
    link.flush(late());
  }

  /// The coordinator's Ready phase must end with an Error that says all of `words`; `rank` reports `hashes`.
  void expect_refused(int rank, const AgreedHashes& hashes, const std::vector<std::string>& words) {
    if (!coordinates()) {
      WorkerControl control(link, roles);
      const AgreedHashes& own = roles.own_rank() == rank ? hashes : kHashes;
      const Deadline deadline = Deadline::after(100ms);
      const Error error = error_of([&] { (void)report_ready(control, roles.own_role(), own, deadline); });
      EXPECT_EQ(error.kind(), ErrorKind::stall);
      return;
    }
    Crew crew(link, roles, 30);
    const Error error = error_of([&] { await_ready(crew, kHashes, late()); });
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_TRUE(says(error, words));
    EXPECT_TRUE(says(error, {"there", "here", "both must run with the same settings and build"}));
  }

  void start_a_run() {
    Crew crew(link, roles, 30);
    Welcome welcome;
    welcome.mutable_config()->mutable_run()->set_dir("somewhere");
    welcome.mutable_config()->mutable_run()->set_seed(42);
    welcome.mutable_resume()->set_folder("checkpoints/step-00000010");
    welcome.mutable_resume()->set_next_sequence(30);
    welcome_workers(crew, welcome, late());
    await_ready(crew, kHashes, late());
    Start start;
    start.set_total_steps(600);
    start_workers(crew, start);
    crew.flush(late());
  }

  void join_the_run() {
    WorkerControl control(link, roles);
    if (roles.own_rank() == 1) std::this_thread::sleep_for(50ms);  // any order will do
    const Welcome welcome = join_run(control, late());
    EXPECT_EQ(welcome.config().run().dir(), "somewhere");
    EXPECT_EQ(welcome.config().run().seed(), 42U);
    EXPECT_EQ(welcome.resume().folder(), "checkpoints/step-00000010");
    EXPECT_EQ(welcome.resume().next_sequence(), 30);
    AgreedHashes own = kHashes;
    if (roles.own_role() == Role::drafter) own.data = 0xbad;  // a drafter reads no data
    if (roles.own_rank() == 3) std::this_thread::sleep_for(50ms);
    EXPECT_EQ(report_ready(control, roles.own_role(), own, late()).total_steps(), 600);
  }
};

TEST_F(RollCall, CarriesTheSettingsAndTheStart) {
  if (coordinates()) {
    start_a_run();
  } else {
    join_the_run();
  }
}

TEST_F(RollCall, RefusesAnotherBuildByName) {
  if (coordinates()) {
    Crew crew(link, roles, 30);
    const Error error = error_of([&] { welcome_workers(crew, Welcome(), late()); });
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_TRUE(says(error, {"target 1 (rank 2", "build hash 00000000000000bb there"}));
  } else if (roles.own_rank() == 2) {
    say([](ControlMessage& message) { message.mutable_hello()->set_build_hash(0xbb); });
  } else {
    WorkerControl control(link, roles);
    EXPECT_EQ(error_of([&] { (void)join_run(control, Deadline::after(50ms)); }).kind(), ErrorKind::stall)
        << "nobody is welcome before all are fit";
  }
}

TEST_F(RollCall, RefusesOtherSettingsByName) {
  expect_refused(1, {.config = 0xcc, .layout = 0x1a, .data = 0xd},
                 {"target 0 (rank 1", "configuration hash 00000000000000cc there, 000000000000000c here"});
}

TEST_F(RollCall, RefusesAnotherLayoutByName) {
  expect_refused(
      3, {.config = 0xc, .layout = 0x1b, .data = 0xd},
      {"drafter 0 (rank 3", "laid out batches differently", "000000000000001b there, 000000000000001a here"});
}

TEST_F(RollCall, RefusesOtherDataByName) {
  expect_refused(2, {.config = 0xc, .layout = 0x1a, .data = 0xdd},
                 {"target 1 (rank 2", "data hash 00000000000000dd there, 000000000000000d here"});
}

TEST_F(RollCall, AFailureOfAWorkerBecomesItsError) {
  if (coordinates()) {
    Crew crew(link, roles, 30);
    for (const bool welcoming : {true, false}) {
      const Error error = error_of([&] {
        if (welcoming) welcome_workers(crew, Welcome(), late());
        await_ready(crew, kHashes, late());
      });
      EXPECT_EQ(error.kind(), ErrorKind::input_file);
      EXPECT_TRUE(says(error, {"drafter 0 (rank 3", " failed in 'load': model.safetensors is cut short"}));
    }
  } else if (roles.own_rank() == 3) {
    for (int i = 0; i < 2; ++i) {
      say([](ControlMessage& message) {
        message.mutable_failure()->set_exit_code(exit_code(ErrorKind::input_file));
        message.mutable_failure()->set_stage("load");
        message.mutable_failure()->set_message("model.safetensors is cut short");
      });
    }
  }
}

TEST_F(RollCall, NamesWhoSaidNothing) {
  if (coordinates()) {
    Crew crew(link, roles, 30);
    const Error error = error_of([&] { welcome_workers(crew, Welcome(), Deadline::after(300ms)); });
    EXPECT_EQ(error.kind(), ErrorKind::stall);
    EXPECT_TRUE(says(error, {"no hello within the time from target 0 (rank 1", "drafter 0 (rank 3"}));
    EXPECT_FALSE(says(error, {"(rank 2"}));
  } else if (roles.own_rank() == 2) {
    WorkerControl control(link, roles);
    const Error error = error_of([&] { (void)join_run(control, Deadline::after(300ms)); });
    EXPECT_EQ(error.kind(), ErrorKind::stall);
    EXPECT_TRUE(says(error, {"no welcome from the coordinator within the time"}));
  } else {
    std::this_thread::sleep_for(1s);  // it must not seem dead
  }
}

TEST_F(RollCall, RefusesAMessageOutOfTurnByName) {
  if (coordinates()) {
    Crew crew(link, roles, 30);
    const Error error = error_of([&] { welcome_workers(crew, Welcome(), late()); });
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    EXPECT_TRUE(says(error, {"target 0 (rank 1", "sent lease_request while hello was awaited"}));
  } else if (roles.own_rank() == 1) {
    say([](ControlMessage& message) { message.mutable_lease_request()->set_count(1); });
  }
}

TEST_F(RollCall, RefusesASecondHello) {
  if (coordinates()) {
    Crew crew(link, roles, 30);
    const Error error = error_of([&] { welcome_workers(crew, Welcome(), late()); });
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    EXPECT_TRUE(says(error, {"target 0 (rank 1", "sent hello while hello was awaited from target 1 (rank 2"}));
  } else if (roles.own_rank() == 1) {
    for (int i = 0; i < 2; ++i) {
      say([](ControlMessage& message) { message.mutable_hello()->set_build_hash(build_hash()); });
    }
  }
}

}  // namespace
}  // namespace dflash
