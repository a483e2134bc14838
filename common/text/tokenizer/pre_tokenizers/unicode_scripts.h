// UnicodeScripts: cuts where the writing system changes. Hiragana, Katakana and Han count as one; a space belongs to
// any.
//
// Threading: immutable; the table is made at the first use.
#pragma once

#include <memory>

#include "common/text/tokenizer/pre_tokenizers/pre_tokenizer.h"

namespace dflash {

[[nodiscard]] std::unique_ptr<PreTokenizer> make_unicode_scripts();

}  // namespace dflash
