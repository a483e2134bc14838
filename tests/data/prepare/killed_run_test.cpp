// A run that is stopped, fails or is killed at any chunk, and goes on: the bytes are those of an unbroken run.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <memory>

#include "common/base/error.h"
#include "tests/data/prepare/prepare_makers.h"

namespace dflash {
namespace {

/// Calls `act` in place of should_stop once so many rows of this run are through. A chunk has six of them: counted by
/// rows, since the question is also asked while nothing comes.
PrepareEvents at_rows(int64_t most, std::function<bool()> act) {
  const auto rows = std::make_shared<int64_t>(0);
  PrepareEvents events;
  events.progress = [rows](const PrepareProgress& progress) { *rows = progress.rows; };
  events.should_stop = [rows, most, act = std::move(act)] { return *rows >= most && act(); };
  return events;
}

class KilledRun : public testing::TestWithParam<int> {
 protected:
  KilledRun() {
    settings_.threads = GetParam();
    (void)prepare_data(files_, settings_, folder_.path() / "whole", {});
    whole_ = contents_of(folder_.path() / "whole");
  }
  /// Goes on until it is finished; how many kept rows were stored before.
  int64_t finish(const std::filesystem::path& folder) {
    int64_t stored = 0;
    bool went_on = false;
    PrepareEvents events;
    events.notice = [&](const std::string& line) { went_on = went_on || line.starts_with("going on behind"); };
    events.progress = [&](const PrepareProgress& progress) {
      if (stored == 0 && went_on) stored = progress.kept;
    };
    EXPECT_EQ(prepare_data(files_, settings_, folder, events).end, PrepareEnd::written);
    EXPECT_EQ(contents_of(folder), whole_);
    return stored;
  }
  std::filesystem::path folder(int number) { return folder_.path() / ("p" + std::to_string(number)); }

  TempFolder folder_;
  PrepareSettings settings_ = made_settings();
  std::vector<std::string> files_ = made_files(folder_.path());
  std::map<std::string, std::string> whole_;
};

TEST_P(KilledRun, ByItsSinkBehindSomeChunks) {
  int64_t most_stored = 0;
  for (const int chunk : {0, 3, 7, 11}) {
    const PrepareEvents events = at_rows(6 * chunk, [] { return true; });
    const PrepareOutcome outcome = prepare_data(files_, settings_, folder(chunk), events);
    EXPECT_EQ(outcome.end, PrepareEnd::stopped) << chunk;
    most_stored = std::max(most_stored, outcome.stored_rows);
    const int64_t stored = finish(folder(chunk));
    EXPECT_GE(stored, outcome.stored_rows);
  }
  EXPECT_GT(most_stored, 40);
}

TEST_P(KilledRun, ByAnErrorInTheMiddle) {
  for (const int file : {0, 6}) {
    PrepareEvents events;
    int opened = 0;
    events.notice = [&](const std::string&) {
      if (opened++ == file) throw Error(ErrorKind::no_space, "thrown by the test");
    };
    EXPECT_THROW((void)prepare_data(files_, settings_, folder(file), events), Error);
    (void)finish(folder(file));
  }
}

TEST_P(KilledRun, BySigkillBehindSomeChunks) {
  for (const int chunk : {1, 5, 9}) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const PrepareEvents events = at_rows(6 * chunk, [] { return raise(SIGKILL) == 0; });
      (void)prepare_data(files_, settings_, folder(chunk), events);
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status)) << status;
    (void)finish(folder(chunk));
  }
}

TEST_P(KilledRun, AgainAndAgain) {
  PrepareEnd end = PrepareEnd::stopped;
  for (int tries = 0; end == PrepareEnd::stopped; ++tries) {
    ASSERT_LT(tries, 100);
    const PrepareEvents events = at_rows(18, [] { return true; });
    end = prepare_data(files_, settings_, folder(0), events).end;
  }
  EXPECT_EQ(contents_of(folder(0)), whole_);
}

INSTANTIATE_TEST_SUITE_P(Threads, KilledRun, testing::Values(1, 2, 4));

}  // namespace
}  // namespace dflash
