// SIGINT, SIGTERM, SIGHUP and SIGUSR1 are noted, not acted upon: who acts on them is decided elsewhere, outside of a
// handler.
//
// SIGUSR1 counts as well because mpirun hands it on to every rank at once, while SIGTERM makes it kill them.
#pragma once

#include <chrono>
#include <optional>

namespace dflash {

/// From now on these signals no longer end the process. Call once, early in main.
void note_stop_signals();

/// When the first of them came; nothing as long as none has. Threading: any thread.
[[nodiscard]] std::optional<std::chrono::steady_clock::time_point> stop_signal_time();

/// How many of them came so far.
[[nodiscard]] int stop_signal_count();

/// The process gets SIGKILL when its parent dies (a rank must not outlive its mpirun).
void die_with_parent();

}  // namespace dflash
