// --set SECTION.KEY=VALUE -> ConfigDraft.
#pragma once

#include <string>

#include "common/config/draft.h"

namespace dflash {

/// VALUE is TOML; what does not parse as TOML is a string. Relative paths count from the working directory.
/// Error{config} that begins with "--set SECTION.KEY=VALUE".
void apply_override(ConfigDraft& draft, const std::string& text);

}  // namespace dflash
