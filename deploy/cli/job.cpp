#include "deploy/cli/job.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <thread>

#include "common/base/deadline.h"
#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/log.h"
#include "common/base/stop_signal.h"
#include "common/base/verdict.h"
#include "common/checkpoint/checkpoint_store.h"
#include "common/checkpoint/run_folder.h"
#include "common/checkpoint/run_lock.h"
#include "deploy/cli/child_processes.h"
#include "deploy/cli/exec_program.h"
#include "deploy/cli/shared_memory_folder.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
namespace fs = std::filesystem;

constexpr auto kLook = 20ms;
constexpr auto kWatchRanksEvery = 100ms;  // it reads all of /proc
constexpr auto kBetweenSignals = 1s;      // two within it are one: a terminal or a scheduler may send several
constexpr auto kMpirunLeavesWithin = 500ms;
constexpr auto kRanksLeaveWithin = 3500ms;   // after one of them: the coordinator ends them in less
constexpr auto kRanksLeaveAtStart = 2500ms;  // where ranks may wait for each other and watch nobody yet
constexpr auto kPauseOfMpirun = 200ms;       // between two SIGTERM: the second one is obeyed at once
constexpr auto kMpirunObeysWithin = 2s;
constexpr auto kOrphansLeaveWithin = 2s;

pid_t start(const std::vector<std::string>& line) {
  std::fflush(stdout);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw Error(ErrorKind::internal, format("cannot fork: {}", std::strerror(errno)));
  if (child > 0) return child;
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGUSR1}) std::signal(number, SIG_DFL);
  setpgid(0, 0);  // Ctrl-C in a terminal reaches this program alone
  prctl(PR_SET_PDEATHSIG,
        SIGKILL);  // its ranks then die as well; told to end, it would wait for a reader of its output
  if (getppid() != parent) _exit(1);  // it died in between
  try {
    exec_program(line, "Open MPI is needed: install the Debian package openmpi-bin");
  } catch (const Error& error) {
    std::fprintf(stderr, "dflash: %s\n", error.what());
  }
  _exit(exit_code(ErrorKind::config));
}

/// When run.json was written; nothing when there is none. The coordinator writes it when all ranks are ready.
std::optional<fs::file_time_type> facts_time(const fs::path& run_folder) {
  std::error_code error;
  const auto time = fs::last_write_time(run_folder / "run.json", error);
  return error ? std::nullopt : std::optional(time);
}

class Job {
 public:
  Job(const std::vector<std::string>& mpirun_line, const fs::path& run_folder)
      : run_folder_(run_folder), facts_before_(facts_time(run_folder)), mpirun_(start(mpirun_line)) {}

  /// The wait status of mpirun.
  int wait() {
    while (!ended()) {
      std::this_thread::sleep_for(kLook);
      hand_on_signals();
      if (Clock::now() - watched_ > kWatchRanksEvery) watch_ranks();
    }
    return status_;
  }
  /// mpirun was ended when its ranks were gone, and its exit code says nothing.
  [[nodiscard]] bool lingered() const { return lingered_; }
  /// Why this program ended the job; nothing when it did not.
  [[nodiscard]] const std::optional<Verdict>& own_verdict() const { return own_verdict_; }

 private:
  bool ended() {
    if (!ended_) ended_ = waitpid(mpirun_, &status_, WNOHANG) == mpirun_;
    return ended_;
  }

  void hand_on_signals() {
    const int count = stop_signal_count();
    if (count == seen_signals_) return;
    seen_signals_ = count;
    if (!began()) return end_job(ErrorKind::stopped, "a signal ended the run before its first step");
    if (!first_signal_) {
      first_signal_ = Clock::now();
      std::fprintf(stderr, "\ndflash: stopping: the run is saved at the end of this step (once more: stop at once)\n");
      kill(mpirun_, SIGUSR1);
    } else if (Clock::now() - *first_signal_ > kBetweenSignals) {
      end_job(ErrorKind::stopped, "a second signal ended the run at once: nothing more was saved");
    }
  }

  /// mpirun may wait for long when its ranks are gone, and so may ranks that one of them left before they knew each
  /// other.
  void watch_ranks() {
    watched_ = Clock::now();
    size_t live = 0;
    for (const ChildProcess& child : children_of(mpirun_)) {
      ranks_seen_[child.pid] = child.name;
      live += child.live ? 1 : 0;
    }
    const auto now = Clock::now();
    if (live == ranks_seen_.size()) {
      complete_until_ = now;
    } else if (live == 0 && now - complete_until_ > kMpirunLeavesWithin) {
      lingered_ = true;
      end_mpirun();
    } else if (live > 0 && now - complete_until_ > (began() ? kRanksLeaveWithin : kRanksLeaveAtStart)) {
      end_job(ErrorKind::peer_died, "died, and the others did not leave: ended", missing_rank());
    }
  }

  /// "target_worker (process 4711)"
  [[nodiscard]] std::string missing_rank() const {
    std::map<pid_t, std::string> missing = ranks_seen_;
    for (const ChildProcess& child : children_of(mpirun_)) {
      if (child.live) missing.erase(child.pid);
    }
    return missing.empty() ? "a rank" : format("{} (process {})", missing.begin()->second, missing.begin()->first);
  }

  void end_job(ErrorKind kind, const std::string& what, const std::string& who = "") {
    own_verdict_ = Verdict{.outcome = kind == ErrorKind::stopped ? "stopped" : "failed",
                           .exit_code = exit_code(kind),
                           .message = who.empty() ? what : format("{} {}", who, what),
                           .who = who,
                           .stage = began() ? "" : "start"};
    end_mpirun();
  }
  /// All ranks were ready.
  [[nodiscard]] bool began() const { return facts_time(run_folder_) != facts_before_; }

  /// Ranks that still live are killed with it: they die with their parent.
  void end_mpirun() {
    kill(mpirun_, SIGTERM);
    std::this_thread::sleep_for(kPauseOfMpirun);
    if (!ended()) kill(mpirun_, SIGTERM);
    for (const Deadline deadline = Deadline::after(kMpirunObeysWithin); !ended() && !deadline.expired();) {
      std::this_thread::sleep_for(kLook);
    }
    if (!ended()) kill(mpirun_, SIGKILL);
  }

  const fs::path& run_folder_;
  const std::optional<fs::file_time_type> facts_before_;
  const pid_t mpirun_;
  bool ended_ = false;
  int status_ = 0;
  int seen_signals_ = 0;
  std::optional<Clock::time_point> first_signal_;
  std::map<pid_t, std::string> ranks_seen_;
  Clock::time_point watched_;
  Clock::time_point complete_until_ = Clock::now();  // all that were seen lived
  bool lingered_ = false;
  std::optional<Verdict> own_verdict_;
};

/// What a killed process was writing. Nobody writes any more, unless this job was refused because of another one.
void remove_unfinished(const fs::path& run_folder) try {
  if (is_run_live(run_folder)) return;
  (void)CheckpointStore(run_folder / "checkpoints").remove_leftovers();
  (void)remove_unfinished_files(run_folder);
} catch (const Error& error) {
  log_warn(error.what());
}

void add_newest_checkpoint(const fs::path& run_folder, Verdict& verdict) {
  const CheckpointStore store(run_folder / "checkpoints");
  const std::vector<int64_t> steps = store.committed_steps();
  if (!steps.empty()) verdict.checkpoint = fs::relative(store.final_folder(steps.back()), run_folder).string();
}

/// For a run whose processes could not say themselves how it ended.
Verdict verdict_of_kill(int status) {
  const int signal_number = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) - 128;
  const char* who = WIFSIGNALED(status) ? "mpirun" : "a rank";
  const char* hint = signal_number == SIGKILL ? " (out of memory?)" : "";
  return {.outcome = "failed",
          .exit_code = exit_code(ErrorKind::peer_died),
          .message = format("{} was killed by signal {} ({}){}; the logs of the run's folder say how far it came", who,
                            signal_number, strsignal(signal_number), hint)};
}

/// For a run in which a rank died before the others knew its folder.
Verdict verdict_of_early_death() {
  return {.outcome = "failed",
          .exit_code = exit_code(ErrorKind::peer_died),
          .message = "a rank died before the run began (killed? out of memory?)",
          .stage = "start"};
}

}  // namespace

int run_job(const std::vector<std::string>& mpirun_line, const fs::path& run_folder) {
  if (is_run_live(run_folder)) {
    throw Error(ErrorKind::config,
                format("run.dir = {}: a run is live there; wait for its end, or stop it", run_folder.string()));
  }
  remove_verdict(run_folder);
  note_stop_signals();
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const SharedMemoryFolder shared_memory;
  Job job(mpirun_line, run_folder);
  int status = job.wait();
  const std::optional<int> status_of_a_rank = end_children(kOrphansLeaveWithin);
  if (job.lingered() && status_of_a_rank) status = *status_of_a_rank;
  remove_unfinished(run_folder);
  std::optional<Verdict> verdict = read_verdict(run_folder);
  if (!verdict && !job.own_verdict() && WIFEXITED(status) && WEXITSTATUS(status) <= 128) {
    if (WEXITSTATUS(status) != exit_code(ErrorKind::peer_died)) {
      return WEXITSTATUS(status);  // refused before it was a run, by a rank that has said why
    }
    verdict = verdict_of_early_death();
  }
  if (!verdict) verdict = job.own_verdict().value_or(verdict_of_kill(status));
  if (verdict->step < 0) {  // by a process that did not know
    add_newest_checkpoint(run_folder, *verdict);
    write_verdict(run_folder, *verdict);
  }
  // mpirun may have been ended before it passed on what the ranks said last.
  if (verdict->exit_code != 0) std::fprintf(stderr, "dflash: %s\n", verdict->message.c_str());
  return verdict->exit_code;
}

}  // namespace dflash
