// Keys of a drafter's config.json that switch on another network in at least one reader (golden/export/README.md).
#pragma once

#include <string>
#include <vector>

#include "common/base/json.h"

namespace dflash {

/// The keys of the object `config` that do so, in the order of the list; those with the one value that does nothing, or
/// null, do not count.
[[nodiscard]] std::vector<std::string> keys_of_another_network(const Json& config);

}  // namespace dflash
