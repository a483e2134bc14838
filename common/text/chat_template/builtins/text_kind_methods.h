// Methods of str: case, width, and what kind of characters it holds.
//
// Threading: as Rendering.
#pragma once

#include "common/text/chat_template/values/object.h"

namespace dflash::jinja {

Value text_capitalize(Rendering& rendering, const Value& self, const Arguments& arguments);
Value text_lower(Rendering& rendering, const Value& self, const Arguments& arguments);
Value text_swapcase(Rendering& rendering, const Value& self, const Arguments& arguments);
Value text_title(Rendering& rendering, const Value& self, const Arguments& arguments);
Value text_upper(Rendering& rendering, const Value& self, const Arguments& arguments);

Value text_center(Rendering& rendering, const Value& self, const Arguments& arguments);
Value text_ljust(Rendering& rendering, const Value& self, const Arguments& arguments);
Value text_rjust(Rendering& rendering, const Value& self, const Arguments& arguments);
Value text_zfill(Rendering& rendering, const Value& self, const Arguments& arguments);

Value text_isalnum(Rendering& rendering, const Value& self, const Arguments& arguments);
Value text_isalpha(Rendering& rendering, const Value& self, const Arguments& arguments);
Value text_isascii(Rendering& rendering, const Value& self, const Arguments& arguments);
Value text_isdecimal(Rendering& rendering, const Value& self, const Arguments& arguments);
Value text_isdigit(Rendering& rendering, const Value& self, const Arguments& arguments);
Value text_islower(Rendering& rendering, const Value& self, const Arguments& arguments);
Value text_isnumeric(Rendering& rendering, const Value& self, const Arguments& arguments);
Value text_isspace(Rendering& rendering, const Value& self, const Arguments& arguments);
Value text_isupper(Rendering& rendering, const Value& self, const Arguments& arguments);

/// `self` in the middle of (or before, or behind) as many `fill` as its width lacks.
[[nodiscard]] Value centered(Rendering& rendering, const Value& self, int64_t width, std::string_view fill);

}  // namespace dflash::jinja
