// The folder of a run must be new: a second run in it would mix its numbers and checkpoints with the first one's.
#pragma once

#include <filesystem>

namespace dflash {

/// Error{config} when the folder exists and is not an empty folder. Changes nothing.
void check_run_folder(const std::filesystem::path& folder);

}  // namespace dflash
