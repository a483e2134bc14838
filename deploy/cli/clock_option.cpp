#include "deploy/cli/clock_option.h"

#include "common/text/chat_template/fixed_clock.h"

namespace dflash {

std::function<std::tm()> clock_at(const std::string& time) {
  if (time.empty()) return {};
  return fixed_clock(time);
}

}  // namespace dflash
