#include "deploy/cli/mpirun_line.h"

namespace dflash {
namespace {

using Arguments = std::vector<std::string>;

void append(Arguments& line, const Arguments& more) {
  line.insert(line.end(), more.begin(), more.end());
}

// mpirun kills its ranks twice this many seconds after it was told to end: time for a scheduler's SIGTERM to be acted
// on.
constexpr const char* kSigkillTimeout = "15";

/// Local ranks through shared memory; no texts of mpirun's own about a rank that ends with an exit code (-q), which is
/// passed through; standard input stays with whoever started the run.
Arguments mpirun_options(bool is_root) {
  Arguments line = {"mpirun", "-q"};
  if (is_root) line.push_back("--allow-run-as-root");
  append(line, {"--oversubscribe", "--bind-to", "none", "--stdin", "none"});
  append(line, {"--mca", "btl", "self,vader", "--mca", "orte_abort_print_stack", "0"});
  append(line, {"--mca", "odls_base_sigkill_timeout", kSigkillTimeout});
  return line;
}

Arguments workers(const LaunchRequest& request, int count, const char* program) {
  Arguments part = {":", "-n", std::to_string(count)};
  if (request.threads_exceed_cores) append(part, {"-x", "OMP_WAIT_POLICY=passive"});  // -x counts for its part alone
  part.push_back((request.programs / program).string());
  return part;
}

bool is_plain(const std::string& word) {
  const std::string plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:=,+@%";
  return !word.empty() && word.find_first_not_of(plain) == std::string::npos;
}

std::string shell_word(const std::string& word) {
  if (is_plain(word)) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace

std::vector<std::string> mpirun_line(const LaunchRequest& request) {
  Arguments line = mpirun_options(request.is_root);
  append(line, {"-n", "1", (request.programs / "coordinator").string(), request.run_toml});
  for (const std::string& text : request.overrides) append(line, {"--set", text});
  if (!request.resume.empty()) append(line, {"--resume", request.resume});
  if (request.terminal) line.push_back("--terminal");
  if (request.targets > 0) append(line, workers(request, request.targets, "target_worker"));
  append(line, workers(request, request.drafters, "drafter_worker"));
  return line;
}

std::string shell_line(const std::vector<std::string>& arguments) {
  std::string line;
  for (const std::string& argument : arguments) {
    if (!line.empty()) line += ' ';
    line += shell_word(argument);
  }
  return line;
}

}  // namespace dflash
