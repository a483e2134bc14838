#include "deploy/cli/child_processes.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dflash {
namespace {

/// A child that sleeps under this name until it is killed.
pid_t start_sleeper(const char* name) {
  int named[2];
  if (pipe(named) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_NAME, name);
    (void)!write(named[1], "x", 1);
    for (;;) pause();
  }
  char byte = 0;
  EXPECT_EQ(read(named[0], &byte, 1), 1);
  close(named[0]);
  close(named[1]);
  return child;
}

/// "pid name" of each, with "gone" behind those that have ended.
std::vector<std::string> children_of_this() {
  std::vector<std::string> texts;
  for (const ChildProcess& child : children_of(getpid())) {
    texts.push_back(std::to_string(child.pid) + " " + child.name + (child.live ? "" : " gone"));
  }
  return texts;
}

TEST(ChildProcesses, WhoLivesAndWhoEnded) {
  EXPECT_TRUE(children_of_this().empty());
  const pid_t child = start_sleeper("sleeper");
  const std::string name = std::to_string(child) + " sleeper";
  EXPECT_EQ(children_of_this(), std::vector<std::string>{name});
  EXPECT_TRUE(children_of(child).empty()) << "it has none itself";
  kill(child, SIGSTOP);
  ASSERT_EQ(waitpid(child, nullptr, WUNTRACED), child);
  EXPECT_EQ(children_of_this(), std::vector<std::string>{name}) << "it is stopped, not gone";
  kill(child, SIGKILL);
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(children_of_this(), std::vector<std::string>{name + " gone"}) << "nobody has waited for it";
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(children_of_this().empty());
}

TEST(ChildProcesses, ANameMayHoldAnything) {
  for (const char* name : {") Z 1 1 (", "a b", "(", ")", "1) S 1"}) {
    const pid_t child = start_sleeper(name);
    EXPECT_EQ(children_of_this(), std::vector<std::string>{std::to_string(child) + " " + name});
    kill(child, SIGKILL);
    ASSERT_EQ(waitpid(child, nullptr, 0), child);
  }
}

TEST(ChildProcesses, EndsThemAndTellsAnExitCode) {
  EXPECT_FALSE(end_children(std::chrono::seconds(1)));
  start_sleeper("sleeper");
  const pid_t failing = fork();
  if (failing == 0) _exit(11);
  siginfo_t info{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(failing), &info, WEXITED | WNOWAIT), 0);
  const std::optional<int> status = end_children(std::chrono::seconds(10));
  ASSERT_TRUE(status);
  EXPECT_EQ(WEXITSTATUS(*status), 11);
  EXPECT_TRUE(children_of_this().empty());
}

}  // namespace
}  // namespace dflash
