// How many processor cores there are for this process.
//
// Threading: may be called from any thread.
#pragma once

namespace dflash {

/// Those of its affinity, at least 1.
[[nodiscard]] int available_cores();

}  // namespace dflash
