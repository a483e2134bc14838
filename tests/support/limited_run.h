// run_limited: a piece of work in a process of its own, with hard limits, and what it took.
#pragma once

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>
#include <string>

namespace dflash::test {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kUnderSanitizer = true;  // its own memory counts, and it is slow
#else
inline constexpr bool kUnderSanitizer = false;
#endif

struct LimitedRun {
  std::string said;  ///< what the work returned
  bool ended_well = false;
  double cpu_s = 0;
  size_t memory_bytes = 0;  ///< the most that it had resident
};

/// What `work` returns, from a child that is ended beyond `cpu_s` and, without a sanitizer, `memory_bytes` of
/// addresses.
inline LimitedRun run_limited(int cpu_s, size_t memory_bytes, const std::function<std::string()>& work) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return {};
  const pid_t pid = fork();
  if (pid == 0) {
    close(ends[0]);
    const auto seconds = static_cast<rlim_t>(kUnderSanitizer ? 20 * cpu_s : cpu_s);
    const rlimit cpu{seconds, seconds}, core{0, 0}, memory{memory_bytes, memory_bytes};
    setrlimit(RLIMIT_CPU, &cpu);
    setrlimit(RLIMIT_CORE, &core);
    if (!kUnderSanitizer) setrlimit(RLIMIT_AS, &memory);
    const std::string said = work();
    const bool written = write(ends[1], said.data(), said.size()) == static_cast<ssize_t>(said.size());
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  LimitedRun run;
  std::array<char, 4096> part{};
  for (ssize_t size = 0; (size = read(ends[0], part.data(), part.size())) > 0;)
    run.said.append(part.data(), static_cast<size_t>(size));
  close(ends[0]);
  int status = 0;
  rusage used{};
  wait4(pid, &status, 0, &used);
  run.ended_well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  run.cpu_s = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
  run.memory_bytes = static_cast<size_t>(used.ru_maxrss) * 1024;
  return run;
}

}  // namespace dflash::test
