// What lies in the folder checkpoints/, by name, and the two ways in which a name there disappears.
//
// Errors: Error{checkpoint} naming the path, {no_space} when the disk is full.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace dflash {

/// step-00000020
[[nodiscard]] std::string step_name(int64_t step);
/// .step-00000020.tmp
[[nodiscard]] std::string staging_name(int64_t step);

/// The step of a step_name; nothing for any other name.
[[nodiscard]] std::optional<int64_t> step_of(const std::string& name);
/// True for the staging_name of any step.
[[nodiscard]] bool is_staging_name(const std::string& name);

/// All names in the folder, sorted; none when it does not exist.
[[nodiscard]] std::vector<std::string> names_in(const std::filesystem::path& folder);

/// Links are removed, not followed.
void remove_folder(const std::filesystem::path& folder);
void rename_folder(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace dflash
