// verdict.json: how a run ended, in one place, whatever mpirun makes of the exit codes of its ranks.
//
// The coordinator writes it. Where it cannot (it was killed), whoever notices writes it, if there is none yet.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace dflash {

constexpr const char* kVerdictName = "verdict.json";

struct Verdict {
  std::string outcome = {};  // "done", "stopped" (by a signal), "failed"
  int exit_code = 0;
  std::string message = {};     // one line: what happened, to whom
  std::string who = {};         // the rank it is about, as in every message; empty when it is about none
  std::string stage = {};       // where that rank was last seen
  int64_t batch = -1;           // at which sequence number; -1: at none
  int64_t step = -1;            // optimizer steps done; -1: not known to whoever wrote it
  std::string checkpoint = {};  // newest committed one, relative to the run's folder; empty: none
};

/// Makes the folder where there is none. Error{no_space} or {checkpoint} as write_file_atomic.
void write_verdict(const std::filesystem::path& run_folder, const Verdict& verdict);
/// Writes it unless there is one; says nothing when it cannot (the process that calls it is about to leave).
void write_verdict_if_none(const std::filesystem::path& run_folder, const Verdict& verdict) noexcept;
/// Nothing when there is no readable one.
[[nodiscard]] std::optional<Verdict> read_verdict(const std::filesystem::path& run_folder);
/// At the start of a run in this folder.
void remove_verdict(const std::filesystem::path& run_folder);

}  // namespace dflash
