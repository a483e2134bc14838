#include "coordinator/run_end.h"

#include "common/base/format.h"
#include "common/base/log.h"

namespace dflash {
namespace {

/// None where the folder cannot be read: a verdict is written all the same.
std::optional<int64_t> newest_checkpoint(const CoordinatorLoop& loop) try {
  return loop.newest_checkpoint();
} catch (const Error& error) {
  log_warn(error.what());
  return std::nullopt;
}

void add_progress(Verdict& verdict, const CoordinatorLoop* loop) {
  if (loop == nullptr) return;  // nothing was trained
  verdict.step = loop->steps_done();
  if (const auto step = newest_checkpoint(*loop)) verdict.checkpoint = format("checkpoints/step-{:08}", *step);
}

bool happened_to_the_run(int code) {
  const ErrorKind kind = error_kind_of(code);
  return kind == ErrorKind::peer_died || kind == ErrorKind::stall || kind == ErrorKind::stopped;
}

}  // namespace

Verdict verdict_of(const CoordinatorLoop& loop, int64_t total_steps) {
  Verdict verdict;
  add_progress(verdict, &loop);
  const bool done = loop.steps_done() == total_steps;
  verdict.outcome = done ? "done" : "stopped";
  verdict.exit_code = done ? 0 : kExitStoppedAndSaved;
  verdict.message = done ? format("all {} steps are done", total_steps)
                         : format("a signal ended the run after step {} of {}; it was saved: go on with --resume",
                                  loop.steps_done(), total_steps);
  return verdict;
}

Verdict verdict_of(const std::exception& error, const CoordinatorLoop* loop) {
  Verdict verdict;
  add_progress(verdict, loop);
  verdict.message = error.what();
  const auto* known = dynamic_cast<const Error*>(&error);
  verdict.exit_code = exit_code(known == nullptr ? ErrorKind::internal : known->kind());
  verdict.outcome = verdict.exit_code == exit_code(ErrorKind::stopped) ? "stopped" : "failed";
  if (const auto* failure = dynamic_cast<const RunFailure*>(&error)) {
    verdict.who = failure->who();
    verdict.stage = failure->stage();
    verdict.batch = failure->batch();
  }
  return verdict;
}

void leave_verdict(const std::filesystem::path& run_folder, const Verdict& verdict) noexcept try {
  if (!std::filesystem::exists(run_folder) && !happened_to_the_run(verdict.exit_code)) return;
  write_verdict(run_folder, verdict);
} catch (const std::exception& error) {
  log_warn(format("no verdict.json: {}", error.what()));
}

}  // namespace dflash
