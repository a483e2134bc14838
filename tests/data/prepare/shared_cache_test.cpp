// Two processes that want the same data in one cache: the later one waits, and takes what the other made.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <future>
#include <thread>

#include "common/data/prepared/folder_lock.h"
#include "common/data/prepared/prepared_folder.h"
#include "tests/data/prepare/prepare_makers.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;

class SharedCache : public testing::Test {
 protected:
  SharedCache() {
    events_.notice = [this](const std::string& line) {
      if (line.find("another process is preparing the same data") != std::string::npos) ++waits_;
    };
    events_.should_stop = [this] { return stop_.load(); };
  }
  PrepareOutcome prepare() { return prepare_data(files_, settings_, p_, events_, FolderUse::cache); }
  std::future<PrepareOutcome> waiting_prepare() {
    auto outcome = std::async(std::launch::async, [this] { return prepare(); });
    while (waits_ == 0 && outcome.wait_for(10ms) != std::future_status::ready) {
    }
    EXPECT_EQ(waits_, 1);
    return outcome;
  }

  TempFolder folder_;
  PrepareSettings settings_ = made_settings();
  std::vector<std::string> files_ = made_files(folder_.path());
  std::filesystem::path p_ = folder_.path() / "p";
  PrepareEvents events_;
  std::atomic<int> waits_ = 0;
  std::atomic<bool> stop_ = false;
};

TEST_F(SharedCache, WhatTheOtherMadeIsTaken) {
  (void)prepare_data(files_, settings_, folder_.path() / "made", {});
  auto lock = std::make_unique<FolderLock>(FolderLock::take(p_));
  auto outcome = waiting_prepare();
  EXPECT_EQ(outcome.wait_for(700ms), std::future_status::timeout);
  for (const auto& [name, content] : contents_of(folder_.path() / "made")) write_text(p_ / name, content);
  lock.reset();
  EXPECT_EQ(outcome.get().end, PrepareEnd::existed);
  EXPECT_EQ(waits_, 1) << "said once";
}

TEST_F(SharedCache, TheOthersDeathFreesIt) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    PrepareEvents events;
    int64_t rows = 0;
    events.progress = [&](const PrepareProgress& progress) { rows = progress.rows; };
    events.should_stop = [&] {
      while (rows > 40) pause();
      return false;
    };
    (void)prepare_data(files_, settings_, p_, events);
    _exit(0);
  }
  while (!std::filesystem::exists(p_ / "shard-000001.json")) std::this_thread::sleep_for(10ms);
  auto outcome = waiting_prepare();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  const PrepareOutcome made = outcome.get();
  EXPECT_EQ(made.end, PrepareEnd::written);
  EXPECT_EQ(made.ledger.kept(), 60);
  (void)prepare_data(files_, settings_, folder_.path() / "made", {});
  EXPECT_EQ(contents_of(p_), contents_of(folder_.path() / "made"));
}

TEST_F(SharedCache, AStopSignalEndsTheWait) {
  const FolderLock lock = FolderLock::take(p_);
  auto outcome = waiting_prepare();
  stop_ = true;
  expect_error(ErrorKind::stopped, "a signal ended the wait", [&] { (void)outcome.get(); });
}

}  // namespace
}  // namespace dflash
