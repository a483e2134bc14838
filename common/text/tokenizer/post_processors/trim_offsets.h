// Offsets of byte-level tokens without the blanks at their ends.
#pragma once

#include "common/text/tokenizer/encoding.h"

namespace dflash {

/// `encoding` has tokens for its offsets. `adds_space`: a single blank at the beginning
/// may be the one that the pre-tokenizer put in front, so nothing is cut off for it.
void trim_offsets(Encoding& encoding, bool adds_space);

}  // namespace dflash
