// The file that --ledger names.
//
// Threading: functions only.
#pragma once

#include <string>
#include <vector>

#include "common/base/json.h"

namespace dflash {

/// Before the work: Error{config} when `path` is one of `others` (inputs, the output), which it would replace, or lies
/// in no folder. An empty path is no file.
void check_ledger_file(const std::string& path, const std::vector<std::string>& others);

/// Nothing for an empty path. Errors as write_file_atomic.
void write_ledger_file(const std::string& path, const Json& ledger);

}  // namespace dflash
