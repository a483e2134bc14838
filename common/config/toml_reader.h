// run.toml -> ConfigDraft.
#pragma once

#include <filesystem>

#include "common/config/draft.h"

namespace dflash {

/// Error{config}, with file, line and column, for what is no TOML, no key of the schema, or no value for its key.
void read_toml_file(ConfigDraft& draft, const std::filesystem::path& path);

}  // namespace dflash
