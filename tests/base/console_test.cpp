#include "common/base/console.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace dflash {
namespace {

using namespace std::chrono_literals;

/// What a terminal of one screen shows after these bytes: only what Console uses is understood.
std::string screen_of(const std::string& bytes) {
  std::string shown, line;
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (bytes.compare(i, 4, "\r\033[K") == 0) {
      line.clear();
      i += 3;
    } else if (bytes.compare(i, 4, "\033[?7") == 0) {
      i += 4;
    } else if (bytes[i] == '\n') {
      shown += line + "\n";
      line.clear();
    } else {
      line += bytes[i];
    }
  }
  return shown + line;
}

class ConsoleTest : public testing::Test {
 protected:
  std::ostringstream out_;
  const Console::TimePoint start_{};
};

TEST_F(ConsoleTest, PlainLinesEveryTenSecondsAndFirstAndLast) {
  Console console(out_, false);
  for (int second = 1; second <= 25; ++second) {
    console.progress("step " + std::to_string(second), start_ + second * 1s, second == 25);
  }
  EXPECT_EQ(out_.str(), "step 1\nstep 11\nstep 21\nstep 25\n");
}

TEST_F(ConsoleTest, TerminalRewritesOneLineFiveTimesASecond) {
  Console console(out_, true);
  for (int i = 0; i < 10; ++i) console.progress("step " + std::to_string(i), start_ + i * 100ms, false);
  EXPECT_EQ(screen_of(out_.str()), "step 8");
  const std::string bytes = out_.str();
  EXPECT_EQ(std::count(bytes.begin(), bytes.end(), '\r'), 5);
  console.progress("step 10", start_ + 910ms, true);
  EXPECT_EQ(screen_of(out_.str()), "step 10\n");
}

TEST_F(ConsoleTest, NoticesStandAboveTheProgressLine) {
  Console console(out_, true);
  console.notice("plan");
  console.progress("step 1", start_, false);
  console.notice("saved");
  EXPECT_EQ(screen_of(out_.str()), "plan\nsaved\nstep 1");
  console.progress("step 2", start_ + 1s, true);
  console.notice("saved again");
  EXPECT_EQ(screen_of(out_.str()), "plan\nsaved\nstep 2\nsaved again\n");
}

TEST_F(ConsoleTest, AnOpenLineIsEndedOnce) {
  Console console(out_, true);
  console.end_line();
  EXPECT_EQ(out_.str(), "");
  console.progress("step 1", start_, false);
  console.end_line();
  console.end_line();
  EXPECT_EQ(screen_of(out_.str()), "step 1\n");
}

TEST_F(ConsoleTest, PlainOutputHoldsNoEscapes) {
  Console console(out_, false);
  console.progress("step 1", start_, false);
  console.notice("saved");
  console.end_line();
  EXPECT_EQ(out_.str(), "step 1\nsaved\n");
}

}  // namespace
}  // namespace dflash
