// Console: what a person sees of a run. On a terminal one progress line is rewritten in place; elsewhere lines are
// added now and then. Notices are whole lines of their own, above the progress line.
//
// No clock of its own: the time is passed in. Threading: one thread. Does not own the stream.
#pragma once

#include <chrono>
#include <optional>
#include <ostream>
#include <string>

namespace dflash {

class Console {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  /// `terminal`: the stream ends at a terminal that knows the usual escape codes.
  Console(std::ostream& out, bool terminal) : out_(out), terminal_(terminal) {}

  /// Shown at most 5 times a second on a terminal, every 10 s elsewhere; the first and the last line always.
  void progress(const std::string& line, TimePoint now, bool last);
  void notice(const std::string& line);
  /// Ends a progress line that still stands open, before something else is written to the terminal.
  void end_line();

 private:
  std::ostream& out_;
  const bool terminal_;
  std::optional<TimePoint> shown_;
  std::string current_;  // the progress line that stands on the terminal, not yet ended
};

}  // namespace dflash
