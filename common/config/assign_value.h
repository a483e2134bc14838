// One TOML value -> one key of a ConfigDraft.
#pragma once

#include <string>

#include "common/config/checked_value.h"
#include "common/config/draft.h"

namespace dflash {

/// Error{config} naming the place for a section that does not exist, with the nearest one that does.
void require_section(const std::string& section, const std::string& place);

/// `key` is KEY, or KEY.NAME for one value of a table of named values.
/// Error{config} naming place and key: unknown section or key (at `key_place`), or a value that does not fit.
void assign_value(ConfigDraft& draft, const std::string& section, const std::string& key, const std::string& key_place,
                  const toml::node& value, const ValueSource& source);

}  // namespace dflash
