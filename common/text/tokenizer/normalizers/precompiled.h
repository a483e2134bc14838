// Precompiled: the character map of SentencePiece models, a trie in a double array with the strings it maps to.
//
// Threading: immutable.
// Limits: a broken map is an Error{input_file} where that shows at once, else text that stays as it is; never a read
//   outside it.
#pragma once

#include <memory>

#include "common/text/tokenizer/normalizers/normalizer.h"

namespace dflash {

[[nodiscard]] std::unique_ptr<const Normalizer> make_precompiled(const ComponentFields& fields);

}  // namespace dflash
