// Decoders that rewrite tokens as text: BPEDecoder, CTC, Fuse, Metaspace, Replace, Strip, WordPiece.
//
// Threading: functions only.
#pragma once

#include <memory>
#include <string>

#include "common/text/tokenizer/decoders/decoder.h"

namespace dflash {

/// The decoder of this type; null when it is none of these.
[[nodiscard]] std::unique_ptr<const TokenDecoder> make_text_decoder(const std::string& type,
                                                                    const ComponentFields& fields);

}  // namespace dflash
