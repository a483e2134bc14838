#include "common/text/chat_template/fixed_clock.h"

#include <time.h>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {

std::function<std::tm()> fixed_clock(const std::string& time) {
  std::tm parsed{};
  const char* const end = strptime(time.c_str(), "%Y-%m-%d %H:%M:%S", &parsed);
  const std::tm written = parsed;
  std::tm checked = parsed;
  if (end == nullptr || *end != '\0' || timegm(&checked) == -1 || checked.tm_mday != written.tm_mday) {
    throw Error(ErrorKind::config, format("'{}' is no time: expected YYYY-MM-DD HH:MM:SS", time));
  }
  return [checked] { return checked; };
}

}  // namespace dflash
