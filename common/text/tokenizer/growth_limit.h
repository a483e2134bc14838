// How much a tokenizer.json may make of a text: 64 times its bytes and 64 KiB. The longest compatibility form is eleven
// times as long as its character, and bytes spelled as characters twice; what goes beyond is a hostile file.
//
// Threading: functions only.
#pragma once

#include <cstddef>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {

[[nodiscard]] inline size_t largest_growth(size_t text_bytes) {
  return 64 * text_bytes + (size_t{64} << 10U);
}

/// Error{input_file} when `bytes` have become of a text of `text_bytes`, and that is too much.
inline void check_growth(size_t bytes, size_t text_bytes) {
  if (bytes <= largest_growth(text_bytes)) return;
  throw Error(ErrorKind::input_file, format("the tokenizer makes more than {} bytes of a text of {} bytes: its "
                                            "normalizers, pre-tokenizers or decoders blow it up",
                                            largest_growth(text_bytes), text_bytes));
}

}  // namespace dflash
