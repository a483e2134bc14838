#include "deploy/cli/exec_program.h"

#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {
namespace {

volatile pid_t child_of_signals = 0;  // read by the signal handler

void hand_on(int signal_number) {
  if (child_of_signals > 0) kill(child_of_signals, signal_number);
}

std::vector<char*> argument_pointers(const std::vector<std::string>& arguments) {
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

[[noreturn]] void refuse_start(const std::string& program, int error_number, const std::string& advice) {
  throw Error(ErrorKind::config, format("cannot start {}: {}; {}", program, std::strerror(error_number), advice));
}

[[noreturn]] void report_killed(const std::string& what, int signal_number) {
  const char* hint = signal_number == SIGKILL ? " (out of memory?)" : "";
  throw Error(ErrorKind::peer_died,
              format("{} was killed by signal {} ({}){}; the logs of the run's folder say how far it came", what,
                     signal_number, strsignal(signal_number), hint));
}

int wait_for_end(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR)
      throw Error(ErrorKind::internal, format("cannot wait for process {}: {}", child, std::strerror(errno)));
  }
  return status;
}

}  // namespace

void exec_program(const std::vector<std::string>& arguments, const std::string& advice) {
  std::fflush(stdout);
  execvp(arguments.front().c_str(), argument_pointers(arguments).data());
  refuse_start(arguments.front(), errno, advice);
}

int run_and_wait(const std::vector<std::string>& arguments, const std::string& advice) {
  std::fflush(stdout);
  pid_t child = 0;
  const int error =
      posix_spawnp(&child, arguments.front().c_str(), nullptr, nullptr, argument_pointers(arguments).data(), environ);
  if (error != 0) refuse_start(arguments.front(), error, advice);
  child_of_signals = child;
  signal(SIGINT, SIG_IGN);  // the terminal sends it to the child as well; the child's end is ours
  signal(SIGTERM, hand_on);
  signal(SIGHUP, hand_on);
  const int status = wait_for_end(child);
  if (WIFSIGNALED(status)) report_killed(arguments.front(), WTERMSIG(status));
  if (WEXITSTATUS(status) > 128) report_killed("a rank", WEXITSTATUS(status) - 128);
  return WEXITSTATUS(status);
}

}  // namespace dflash
