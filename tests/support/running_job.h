// A `dflash train` that runs beside the test: its processes can be found, signalled and waited for.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "common/base/deadline.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

namespace dflash::test {

/// Repeats `done` until it is true; false when the time is over.
template <typename Done>
bool eventually(std::chrono::milliseconds time, Done done) {
  const Deadline deadline = Deadline::after(time);
  while (!done()) {
    if (deadline.expired()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

struct Process {
  pid_t pid = 0;
  std::string name;
};

/// Live processes (no zombies) whose environment holds `mark`: all those a marked command started, at any remove.
inline std::vector<Process> marked_processes(const std::string& mark) {
  std::vector<Process> found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", error)) {
    std::ifstream environment(entry.path() / "environ", std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(environment)), {});
    if (text.find(mark) == std::string::npos) continue;
    std::string name;
    std::getline(std::ifstream(entry.path() / "comm"), name);
    found.push_back({std::stoi(entry.path().filename().string()), name});
  }
  return found;
}

class RunningJob {
 public:
  /// `run`: the folder of the run; `arguments` as a shell would read them. Output goes to a file beside it.
  RunningJob(const std::string& program, const std::string& arguments, std::filesystem::path run,
             const std::string& environment = "")
      : run_(std::move(run)), output_(run_.string() + ".output"), mark_("DFLASH_TEST_RUN=" + run_.string()) {
    std::ostringstream line;
    line << "exec env " << mark_ << " " << environment << " " << program << " " << arguments << " >" << output_
         << " 2>&1 </dev/null";
    const std::string path = programs_dir().string() + ":" + std::getenv("PATH");
    pid_ = fork();
    if (pid_ != 0) return;
    setenv("PATH", path.c_str(), 1);
    execl("/bin/sh", "sh", "-c", line.str().c_str(), nullptr);
    _exit(127);
  }
  ~RunningJob() {
    if (!status_) {
      kill(pid_, SIGKILL);
      waitpid(pid_, nullptr, 0);
    }
    for (const Process& process : marked_processes(mark_)) kill(process.pid, SIGKILL);
  }
  RunningJob(const RunningJob&) = delete;
  RunningJob& operator=(const RunningJob&) = delete;

  void signal(int number) const { kill(pid_, number); }
  [[nodiscard]] std::vector<pid_t> pids(const std::string& name) const {
    std::vector<pid_t> pids;
    for (const Process& process : marked_processes(mark_)) {
      if (process.name == name) pids.push_back(process.pid);
    }
    std::sort(pids.begin(), pids.end());
    return pids;
  }
  /// Where Open MPI keeps the shared memory of this job; empty when there is no mpirun.
  [[nodiscard]] std::filesystem::path shared_memory_folder() const {
    const std::string key = "OMPI_MCA_btl_vader_backing_directory=";
    for (const pid_t mpirun : pids("mpirun")) {
      std::ifstream environment("/proc/" + std::to_string(mpirun) + "/environ", std::ios::binary);
      for (std::string entry; std::getline(environment, entry, '\0');) {
        if (entry.starts_with(key)) return entry.substr(key.size());
      }
    }
    return {};
  }
  /// Coordinator, targets and drafters that live.
  [[nodiscard]] size_t ranks() const {
    return pids("coordinator").size() + pids("target_worker").size() + pids("drafter_worker").size();
  }
  [[nodiscard]] size_t processes() const { return marked_processes(mark_).size(); }

  /// Lines of metrics.jsonl.
  [[nodiscard]] int64_t steps() const {
    std::ifstream file(run_ / "metrics.jsonl");
    return std::count(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(), '\n');
  }
  [[nodiscard]] bool reaches_step(int64_t step) const {
    return eventually(std::chrono::seconds(60), [&] { return steps() >= step; });
  }

  /// The exit code; nothing when it does not end in time.
  std::optional<int> wait(std::chrono::milliseconds time) {
    const bool ended = eventually(time, [&] {
      int status = 0;
      if (!status_ && waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
      return status_.has_value();
    });
    if (!ended) return std::nullopt;
    return WIFEXITED(*status_) ? WEXITSTATUS(*status_) : 128 + WTERMSIG(*status_);
  }
  [[nodiscard]] std::string output() const { return read_text(output_); }

 private:
  const std::filesystem::path run_;
  const std::filesystem::path output_;
  const std::string mark_;
  pid_t pid_ = 0;
  std::optional<int> status_;
};

}  // namespace dflash::test
