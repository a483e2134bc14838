#include "deploy/cli/child_processes.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "common/base/deadline.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

/// The process of this folder of /proc if it is a child of `parent`. Its stat is "PID (NAME) STATE PARENT ...", and the
/// name may hold anything.
std::optional<ChildProcess> child_at(const fs::path& process, pid_t parent) {
  std::ifstream file(process / "stat");
  std::string line;
  std::getline(file, line);
  const size_t begin = line.find('('), end = line.rfind(')');
  if (begin == std::string::npos || end == std::string::npos) return std::nullopt;  // it has just gone
  std::istringstream fields(line.substr(end + 1));
  char state = 0;
  pid_t its_parent = 0;
  if (!(fields >> state >> its_parent) || its_parent != parent) return std::nullopt;
  return ChildProcess{std::stoi(line), line.substr(begin + 1, end - begin - 1), state != 'Z' && state != 'X'};
}

}  // namespace

std::vector<ChildProcess> children_of(pid_t parent) {
  std::vector<ChildProcess> children;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename().string();
    const bool is_process = std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    if (!is_process) continue;
    if (auto child = child_at(entry.path(), parent)) children.push_back(std::move(*child));
  }
  return children;
}

std::optional<int> end_children(std::chrono::nanoseconds time) {
  std::optional<int> failed;
  for (const Deadline deadline = Deadline::after(time); !deadline.expired();) {
    for (int status = 0; waitpid(-1, &status, WNOHANG) > 0;) {
      if (WIFEXITED(status) && WEXITSTATUS(status) != 0) failed = status;
    }
    const std::vector<ChildProcess> left = children_of(getpid());
    if (left.empty()) break;
    for (const ChildProcess& child : left) kill(child.pid, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return failed;
}

}  // namespace dflash
