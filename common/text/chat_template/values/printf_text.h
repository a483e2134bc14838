// Python's % operator on texts: '%s has %05.2f' % (name, number).
//
// Threading: as Rendering.
#pragma once

#include <string>
#include <string_view>

#include "common/text/chat_template/run/rendering.h"

namespace dflash::jinja {

/// `format` with its conversions (s r d i u f F e E g G x X o c %) filled from `values`: a tuple, a dictionary for
/// %(name)s, or one value. Fails for too few or too many values and for a conversion that does not fit.
[[nodiscard]] std::string printf_text(Rendering& rendering, std::string_view format, const Value& values);

}  // namespace dflash::jinja
