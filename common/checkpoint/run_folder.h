// The folder of a run: new for a new run, brought back to one step for a resumed one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace dflash {

/// True when there is nothing at this path, or an empty folder, or one with nothing but the verdict of a run that never
/// began.
[[nodiscard]] bool is_new_run_folder(const std::filesystem::path& folder);

/// Error{config} when it is not new: a second run in it would mix its numbers and checkpoints with the first one's.
/// Changes nothing.
void check_run_folder(const std::filesystem::path& folder);

// For a resumed run; doing it twice changes nothing more. Errors as write_file_atomic, {input_file} for a metrics.jsonl
// that is no file.

/// Removes the files that a killed run was writing into the folder (not below it) by write_file_atomic. Returns them.
std::vector<std::filesystem::path> remove_unfinished_files(const std::filesystem::path& folder);

/// Leaves of a metrics.jsonl the lines of steps up to `step`; a line torn by the end of its run goes too. No file is
/// fine.
void cut_metrics(const std::filesystem::path& file, int64_t step);

}  // namespace dflash
