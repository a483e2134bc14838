#include "common/data/prepare/console_events.h"

#include "common/base/stop_signal.h"
#include "common/data/prepare/progress_text.h"

namespace dflash {

PrepareEvents console_events(Console& console) {
  PrepareEvents events;
  events.notice = [&console](const std::string& line) { console.notice(line); };
  events.progress = [&console](const PrepareProgress& progress) {
    console.progress(progress_text(progress), Console::TimePoint::clock::now(), progress.last);
  };
  events.should_stop = [] { return stop_signal_time().has_value(); };
  return events;
}

}  // namespace dflash
