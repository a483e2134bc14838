// The progress of preparing as one line for a person.
//
// Threading: functions only.
#pragma once

#include <string>

#include "common/data/prepare/prepare_data.h"

namespace dflash {

/// " 42 % [########............] 12345 rows kept, 12 left out, 1.2k rows/s, 456k tokens/s, 12.3 MB/s, 1m23s to go";
/// without share, bytes and time to go when the size of the input is not known. The time to go supposes that this run's
/// bytes a second stay as they are.
[[nodiscard]] std::string progress_text(const PrepareProgress& progress);

}  // namespace dflash
