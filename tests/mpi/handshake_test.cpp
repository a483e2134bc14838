// Four ranks: coordinator 0, targets 1 and 2, drafter 3. Each test is the start of a run of its own.
#include "common/mpi/handshake.h"

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

class Handshake : public testing::Test {
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
      const AgreedHashes& own = roles.own_rank() == rank ? hashes : kHashes;
      const Deadline deadline = Deadline::after(100ms);
      EXPECT_EQ(error_of([&] { (void)report_ready(link, roles, own, deadline); }).kind(), ErrorKind::stall);
      return;
    }
    const Error error = error_of([&] { await_ready(link, roles, kHashes, late()); });
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_TRUE(says(error, words));
    EXPECT_TRUE(says(error, {"there", "here", "both must run with the same settings and build"}));
  }
};

TEST_F(Handshake, CarriesTheSettingsAndTheStart) {
  if (coordinates()) {
    RunConfig config;
    config.mutable_run()->set_dir("somewhere");
    config.mutable_run()->set_seed(42);
    welcome_workers(link, roles, config, late());
    await_ready(link, roles, kHashes, late());
    Start start;
    start.set_total_steps(600);
    start_workers(link, roles, start);
    link.flush(late());
  } else {
    if (roles.own_rank() == 1) std::this_thread::sleep_for(50ms);  // any order will do
    const RunConfig config = join_run(link, roles, late());
    EXPECT_EQ(config.run().dir(), "somewhere");
    EXPECT_EQ(config.run().seed(), 42U);
    AgreedHashes own = kHashes;
    if (roles.own_role() == Role::drafter) own.data = 0;  // a drafter reads no data
    if (roles.own_rank() == 3) std::this_thread::sleep_for(50ms);
    const Start start = report_ready(link, roles, own, late());
    EXPECT_EQ(start.total_steps(), 600);
  }
}

TEST_F(Handshake, RefusesAnotherBuildByName) {
  if (coordinates()) {
    const Error error = error_of([&] { welcome_workers(link, roles, RunConfig(), late()); });
    EXPECT_EQ(error.kind(), ErrorKind::config);
    EXPECT_TRUE(says(error, {"target 1 (rank 2", "build hash 00000000000000bb there"}));
  } else if (roles.own_rank() == 2) {
    say([](ControlMessage& message) { message.mutable_hello()->set_build_hash(0xbb); });
  } else {
    EXPECT_EQ(error_of([&] { (void)join_run(link, roles, Deadline::after(50ms)); }).kind(), ErrorKind::stall);
  }
}

TEST_F(Handshake, RefusesOtherSettingsByName) {
  expect_refused(1, {.config = 0xcc, .layout = 0x1a, .data = 0xd},
                 {"target 0 (rank 1", "configuration hash 00000000000000cc there, 000000000000000c here"});
}

TEST_F(Handshake, RefusesAnotherLayoutByName) {
  expect_refused(
      3, {.config = 0xc, .layout = 0x1b, .data = 0xd},
      {"drafter 0 (rank 3", "laid out batches differently", "000000000000001b there, 000000000000001a here"});
}

TEST_F(Handshake, RefusesOtherDataByName) {
  expect_refused(2, {.config = 0xc, .layout = 0x1a, .data = 0xdd},
                 {"target 1 (rank 2", "data hash 00000000000000dd there, 000000000000000d here"});
}

TEST_F(Handshake, AFailureOfAWorkerBecomesItsError) {
  if (coordinates()) {
    for (const bool welcoming : {true, false}) {
      const Error error = error_of([&] {
        if (welcoming) welcome_workers(link, roles, RunConfig(), late());
        await_ready(link, roles, kHashes, late());
      });
      EXPECT_EQ(error.kind(), ErrorKind::input_file);
      EXPECT_TRUE(says(error, {"drafter 0 (rank 3", "load: model.safetensors is cut short"}));
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

TEST_F(Handshake, NamesWhoSaidNothing) {
  if (coordinates()) {
    const Error error = error_of([&] { welcome_workers(link, roles, RunConfig(), Deadline::after(200ms)); });
    EXPECT_EQ(error.kind(), ErrorKind::stall);
    EXPECT_TRUE(says(error, {"no hello within the time from target 0 (rank 1", "drafter 0 (rank 3"}));
    EXPECT_FALSE(says(error, {"(rank 2"}));
  } else if (roles.own_rank() == 2) {
    const Error error = error_of([&] { (void)join_run(link, roles, Deadline::after(200ms)); });
    EXPECT_EQ(error.kind(), ErrorKind::stall);
    EXPECT_TRUE(says(error, {"no welcome within the time from coordinator 0 (rank 0"}));
  }
}

TEST_F(Handshake, RefusesAMessageOutOfTurnByName) {
  if (coordinates()) {
    const Error error = error_of([&] { welcome_workers(link, roles, RunConfig(), late()); });
    EXPECT_EQ(error.kind(), ErrorKind::internal);
    EXPECT_TRUE(says(error, {"target 0 (rank 1", "sent lease_request while hello was awaited"}));
  } else if (roles.own_rank() == 1) {
    say([](ControlMessage& message) { message.mutable_lease_request()->set_count(1); });
  }
}

}  // namespace
}  // namespace dflash
