#include "common/text/chat_template/builtins/strftime.h"

#include <array>

#include "common/base/format.h"
#include "common/text/chat_template/run/failure.h"

namespace dflash::jinja {
namespace {

constexpr std::array<std::string_view, 7> kDays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                   "Thursday", "Friday", "Saturday"};
constexpr std::array<std::string_view, 12> kMonths = {"January",   "February", "March",    "April",
                                                      "May",       "June",     "July",     "August",
                                                      "September", "October",  "November", "December"};

int twelve_hours(int hour) {
  return hour % 12 == 0 ? 12 : hour % 12;
}

/// The week of the year whose weeks begin on Sunday (0) or Monday (1).
int week_of_year(const std::tm& time, int first_day) {
  return (time.tm_yday + 7 - (time.tm_wday + 7 - first_day) % 7) / 7;
}

std::string number_text(char letter, const std::tm& time) {
  switch (letter) {
    case 'Y':
      return format("{}", time.tm_year + 1900);
    case 'y':
      return format("{:02}", (time.tm_year + 1900) % 100);
    case 'm':
      return format("{:02}", time.tm_mon + 1);
    case 'd':
      return format("{:02}", time.tm_mday);
    case 'e':
      return format("{:>2}", time.tm_mday);
    case 'H':
      return format("{:02}", time.tm_hour);
    case 'I':
      return format("{:02}", twelve_hours(time.tm_hour));
    case 'M':
      return format("{:02}", time.tm_min);
    case 'S':
      return format("{:02}", time.tm_sec);
    case 'f':
      return "000000";
    case 'j':
      return format("{:03}", time.tm_yday + 1);
    case 'w':
      return format("{}", time.tm_wday);
    case 'u':
      return format("{}", time.tm_wday == 0 ? 7 : time.tm_wday);
    case 'U':
      return format("{:02}", week_of_year(time, 0));
    case 'W':
      return format("{:02}", week_of_year(time, 1));
    default:
      fail(TemplateFailure::runtime, format("strftime_now: %{} is not supported", letter));
  }
}

std::string conversion_text(char letter, const std::tm& time) {
  switch (letter) {
    case 'A':
      return std::string(kDays.at(static_cast<size_t>(time.tm_wday)));
    case 'a':
      return std::string(kDays.at(static_cast<size_t>(time.tm_wday)).substr(0, 3));
    case 'B':
      return std::string(kMonths.at(static_cast<size_t>(time.tm_mon)));
    case 'b':
    case 'h':
      return std::string(kMonths.at(static_cast<size_t>(time.tm_mon)).substr(0, 3));
    case 'p':
      return time.tm_hour < 12 ? "AM" : "PM";
    case 'z':
    case 'Z':
      return "";  // a time without a zone
    case '%':
      return "%";
    case 'n':
      return "\n";
    case 't':
      return "\t";
    case 'F':
      return time_text("%Y-%m-%d", time);
    case 'T':
    case 'X':
      return time_text("%H:%M:%S", time);
    case 'R':
      return time_text("%H:%M", time);
    case 'D':
    case 'x':
      return time_text("%m/%d/%y", time);
    case 'c':
      return time_text("%a %b %e %H:%M:%S %Y", time);
    default:
      return number_text(letter, time);
  }
}

}  // namespace

std::string time_text(std::string_view pattern, const std::tm& time) {
  std::string result;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%' || i + 1 == pattern.size()) {
      result += pattern[i];
      continue;
    }
    ++i;
    const bool without_zeros = pattern[i] == '-' && i + 1 < pattern.size();
    if (without_zeros) ++i;
    std::string text = conversion_text(pattern[i], time);
    while (without_zeros && text.size() > 1 && (text[0] == '0' || text[0] == ' ')) text.erase(0, 1);
    result += text;
  }
  return result;
}

}  // namespace dflash::jinja
