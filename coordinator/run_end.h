// How a run ends: the verdict, the last words, and the workers' end.
#pragma once

#include <exception>
#include <filesystem>

#include "common/base/verdict.h"
#include "coordinator/coordinator_loop.h"

namespace dflash {

/// The verdict of a run that ended in order: done, or stopped by a signal after it was saved.
[[nodiscard]] Verdict verdict_of(const CoordinatorLoop& loop, int64_t total_steps);
/// The verdict of a run that `error` ended. `loop` is null before training.
[[nodiscard]] Verdict verdict_of(const std::exception& error, const CoordinatorLoop* loop);

/// Writes the verdict into the run's folder; says so in the log when it cannot. A folder that is not there is made only
/// for what happens to a run (a death, a stall, a signal), not for settings or files that were refused.
void leave_verdict(const std::filesystem::path& run_folder, const Verdict& verdict) noexcept;

}  // namespace dflash
