// format("{} of {}", a, b): the one door to fmt, since g++ 12 has no std::format.
#pragma once

#include <fmt/format.h>

namespace dflash {

using fmt::format;
using fmt::join;

}  // namespace dflash
