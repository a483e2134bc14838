#include "common/base/console.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;

constexpr auto kTerminalPause = 200ms;
constexpr auto kPlainPause = 10s;

// Back to the first column and clear the line; then the line with wrapping off, so that a narrow terminal cuts it
// instead of scrolling at every rewrite.
constexpr const char* kClearLine = "\r\033[K";
constexpr const char* kWrapOff = "\033[?7l";
constexpr const char* kWrapOn = "\033[?7h";

}  // namespace

void Console::progress(const std::string& line, TimePoint now, bool last) {
  const auto pause = terminal_ ? std::chrono::milliseconds(kTerminalPause) : std::chrono::milliseconds(kPlainPause);
  if (shown_ && now - *shown_ < pause && !last) return;
  shown_ = now;
  if (!terminal_) {
    out_ << line << '\n' << std::flush;
    return;
  }
  out_ << kClearLine << kWrapOff << line << kWrapOn;
  if (last) out_ << '\n';
  out_ << std::flush;
  current_ = last ? "" : line;
}

void Console::notice(const std::string& line) {
  if (current_.empty()) {
    out_ << line << '\n' << std::flush;
    return;
  }
  out_ << kClearLine << line << '\n' << kWrapOff << current_ << kWrapOn << std::flush;
}

void Console::end_line() {
  if (!current_.empty()) out_ << '\n' << std::flush;
  current_.clear();
}

}  // namespace dflash
