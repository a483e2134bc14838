// str.format: '{} and {name}'.format(value, name=value).
//
// Threading: as Rendering. Limits: no format specifications ({:>8}) and no attributes or items ({a.b}): refused.
#pragma once

#include "common/text/chat_template/values/object.h"

namespace dflash::jinja {

Value text_format(Rendering& rendering, const Value& self, const Arguments& arguments);

}  // namespace dflash::jinja
