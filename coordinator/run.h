// Run: one training run as the coordinator leads it, from its settings to its verdict.
//
//   Run run(command, crew, console);
//   try { return run.lead(); } catch (const std::exception& error) { run.end_badly(error); }
//
// Threading: one thread.
#pragma once

#include <exception>
#include <optional>
#include <string>

#include "common/checkpoint/run_lock.h"
#include "common/plan/resume_plan.h"
#include "coordinator/command_line.h"
#include "coordinator/coordinator_loop.h"
#include "coordinator/run_facts.h"

namespace dflash {

class Run {
 public:
  Run(const CommandLine& command, Crew& crew, Console& console) : command_(command), crew_(crew), console_(console) {}

  /// Returns the exit code when the run has ended in order; throws what ended it otherwise.
  int lead();
  /// Ends the process, and with it the job. Nothing is destroyed before: a commit that is under way must not hold it
  /// up.
  [[noreturn]] void end_badly(const std::exception& error);

 private:
  void read_settings();
  /// From the roll call to the first batch.
  RunFacts start(const RunPlan& plan);

  const CommandLine& command_;
  Crew& crew_;
  Console& console_;
  RunConfig config_;
  ResumePlan resume_;
  std::string memory_text_;  // what the run takes
  std::optional<RunLock> lock_;
  std::optional<RunRecorder> recorder_;
  std::optional<CoordinatorLoop> loop_;
};

}  // namespace dflash
