// What a program that prepares shows of it: notices and a progress line on a console; a signal stops it.
//
// Threading: functions only.
#pragma once

#include "common/base/console.h"
#include "common/data/prepare/prepare_data.h"

namespace dflash {

/// `console` must outlive them. should_stop: a stop signal came (note_stop_signals).
[[nodiscard]] PrepareEvents console_events(Console& console);

}  // namespace dflash
