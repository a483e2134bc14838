// dflash inspect data of a cache: what lies in it, so that a person can delete what no run needs.
#pragma once

#include <string>

#include "common/base/json.h"

namespace dflash {

/// True for a folder that is no prepared data itself and holds folders that are.
[[nodiscard]] bool is_data_cache(const std::string& path);

/// {"path", "kind": "cache", "bytes", "entries": [{"path", "state", "bytes", "last_use"}, ...]}, the last used first;
/// last_use is local time. `verify`: reads the whole content of finished ones. Error{input_file} when it is damaged.
[[nodiscard]] Json cache_json(const std::string& path, bool verify);

/// The same for a person: a line for each entry.
[[nodiscard]] std::string describe_cache(const Json& cache);

}  // namespace dflash
