// Looking into a model folder that may be broken, locked or hostile: what cannot be looked at is no exception of the
// standard library's.
#pragma once

#include <filesystem>
#include <string>

namespace dflash {

/// True also for a broken link, which opening then complains about by name.
[[nodiscard]] bool stands_in(const std::filesystem::path& folder, const char* name);

/// Error{input_file}: "where: why".
[[noreturn]] void refuse_file(const std::filesystem::path& where, const std::string& why);

}  // namespace dflash
