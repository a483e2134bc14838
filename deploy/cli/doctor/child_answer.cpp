#include "deploy/cli/doctor/child_answer.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <thread>

#include "common/base/deadline.h"
#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;

constexpr size_t kMostBytes = size_t{64} * 1024;
constexpr auto kDiesWithin = 1s;  // one that hangs inside the kernel does not even obey SIGKILL

struct Pipe {
  int read_end = -1, write_end = -1;
};

Pipe make_pipe() {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error(ErrorKind::internal, format("cannot make a pipe: {}", strerror(errno)));
  return {ends[0], ends[1]};
}

[[noreturn]] void be_child(const std::function<void()>& body, Pipe output, pid_t parent) {
  setpgid(0, 0);  // what it starts is killed with it
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // it died in between
  const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nowhere, STDIN_FILENO);
  dup2(output.write_end, STDOUT_FILENO);
  dup2(nowhere, STDERR_FILENO);
  close(output.read_end);  // or it would write on when nobody reads any more
  std::signal(SIGPIPE, SIG_DFL);
  int code = 0;
  try {
    body();
  } catch (const std::exception& error) {
    std::fputs(error.what(), stdout);
    code = 1;
  }
  std::fflush(stdout);
  _exit(code);
}

/// Leaves the read end open in this process.
pid_t start_child(const std::function<void()>& body, Pipe output) {
  std::fflush(stdout);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) be_child(body, output, parent);
  const int error = errno;
  close(output.write_end);
  if (child > 0) return child;
  close(output.read_end);
  throw Error(ErrorKind::internal, format("cannot fork: {}", strerror(error)));
}

/// Reads up to the end; false when the deadline passed first.
bool read_all(int pipe, Deadline deadline, std::string& text) {
  std::array<char, 4096> piece{};
  while (text.size() < kMostBytes) {
    if (deadline.expired()) return false;
    pollfd readable{.fd = pipe, .events = POLLIN, .revents = 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline.remaining());
    if (poll(&readable, 1, static_cast<int>(left.count())) <= 0) continue;
    const ssize_t count = read(pipe, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.append(piece.data(), static_cast<size_t>(count));
  }
  return true;
}

std::optional<int> wait_status(pid_t child, Deadline deadline) {
  for (int status = 0; true; std::this_thread::sleep_for(2ms)) {
    if (waitpid(child, &status, WNOHANG) == child) return status;
    if (deadline.expired()) return std::nullopt;
  }
}

std::string failure_of(int status) {
  if (WIFSIGNALED(status)) return format("ended by signal {}", WTERMSIG(status));
  return WEXITSTATUS(status) == 0 ? "" : format("exit code {}", WEXITSTATUS(status));
}

}  // namespace

ChildAnswer child_answer(const std::function<void()>& body, std::chrono::milliseconds within) {
  const Pipe output = make_pipe();
  const pid_t child = start_child(body, output);
  const Deadline deadline = Deadline::after(within);
  ChildAnswer answer;
  const bool whole = read_all(output.read_end, deadline, answer.text);
  close(output.read_end);
  const std::optional<int> status = whole ? wait_status(child, deadline) : std::nullopt;
  if (status) {
    answer.failure = failure_of(*status);
    return answer;
  }
  kill(-child, SIGKILL);
  kill(child, SIGKILL);  // it may not lead its group yet
  (void)wait_status(child, Deadline::after(kDiesWithin));
  answer.failure = format("no answer within {} s", static_cast<double>(within.count()) / 1000);
  return answer;
}

}  // namespace dflash
