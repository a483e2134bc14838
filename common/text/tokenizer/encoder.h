// The way of a text through the parts of a tokenizer: added tokens, normalizer, pre-tokenizer, model, post-processor.
//
// Threading: functions only; each thread has an EncoderScratch.
#pragma once

#include <string_view>
#include <vector>

#include "common/text/tokenizer/encoding.h"
#include "common/text/tokenizer/models/word_cache.h"
#include "common/text/tokenizer/segments.h"
#include "common/text/tokenizer/tokenizer_parts.h"

namespace dflash {

struct EncoderScratch {
  SegmentList segments;
  WordCache words;
  uint64_t words_of = 0;  // TokenizerParts::number
  std::vector<PieceToken> tokens;
};

/// As Tokenizer::encode.
void encode_text(const TokenizerParts& parts, std::string_view text, const EncodeOptions& options,
                 EncoderScratch& scratch, Encoding& out);

}  // namespace dflash
