// What can be said about the settings as a whole without opening a file.
#pragma once

#include <string>

#include "common/config/draft.h"

namespace dflash {

/// Error{config}: a required key that is missing (`file` is where it should stand), or settings that exclude each other
/// (at the place of one that was set by hand).
void check_settings(const ConfigDraft& draft, const std::string& file);

}  // namespace dflash
