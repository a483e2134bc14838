// A run that fails while it trains: every process of it ends, with one clear line and the agreed exit code.

#include <gtest/gtest.h>

#include <chrono>
#include <future>
#include <set>
#include <thread>

#include "common/base/deadline.h"
#include "tests/support/running_job.h"
#include "tests/support/tiny_run.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;
using test::TinyRun;

/// Names of all processes that a marked command started, at any remove.
std::set<std::string> marked_names(const std::string& mark) {
  std::set<std::string> names;
  for (const test::Process& process : test::marked_processes(mark)) names.insert(process.name);
  return names;
}

/// They may need a moment to be gone from /proc after mpirun has ended.
std::set<std::string> processes_left(const std::string& mark) {
  std::set<std::string> left = marked_names(mark);
  for (const Deadline deadline = Deadline::after(5s); !left.empty() && !deadline.expired();) {
    std::this_thread::sleep_for(50ms);
    left = marked_names(mark);
  }
  return left;
}

TEST(FailingRun, ALossThatIsNotFiniteNamesItsStepAndLeavesNoProcess) {
  const TinyRun tiny;
  const std::string mark = "DFLASH_TEST_RUN=" + tiny.path("run").string();
  auto running = std::async(std::launch::async, [&] {
    return test::run_program("env " + mark + " dflash train " + tiny.path("run.toml").string() +
                             " --set train.lr=1e30");
  });
  std::set<std::string> seen;
  while (running.wait_for(5ms) != std::future_status::ready) seen.merge(marked_names(mark));
  const test::ProgramResult result = running.get();

  EXPECT_EQ(result.exit_code, 16) << result.output;
  const size_t good_steps = TinyRun::metrics(tiny.path("run")).size();
  EXPECT_NE(result.output.find(format("step {}: loss", good_steps + 1)), std::string::npos) << result.output;
  EXPECT_NE(result.output.find("not finite"), std::string::npos) << result.output;
  for (const char* program : {"mpirun", "coordinator", "target_worker", "drafter_worker"})
    EXPECT_TRUE(seen.contains(program)) << program << " was not found while it ran: the search does not work";
  EXPECT_EQ(processes_left(mark), std::set<std::string>());
}

}  // namespace
}  // namespace dflash
