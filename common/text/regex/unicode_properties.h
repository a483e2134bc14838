// Unicode 16 for Oniguruma, whose own tables are older: \p{L} and its kin become properties of our own.
//
// Threading: define_unicode_properties may be called by any thread; the work is done once.
#pragma once

#include <string>
#include <string_view>

namespace dflash {

/// Initialises Oniguruma and registers the properties.
void define_unicode_properties();

/// `pattern` with \p{L}, \P{N}, \p{^Lu}, \w, \d, ... naming the registered properties. Properties that are not in our
/// tables (scripts, subdivisions of P and S) stay Oniguruma's.
[[nodiscard]] std::string with_unicode_properties(std::string_view pattern);

}  // namespace dflash
