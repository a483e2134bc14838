// Normalizers that follow from Unicode or from one character at a time: NFC, NFD, NFKC, NFKD, Lowercase, StripAccents,
// Nmt, BertNormalizer.
//
// Threading: functions only.
#pragma once

#include <memory>
#include <string>

#include "common/text/tokenizer/normalizers/normalizer.h"

namespace dflash {

/// The normalizer of this type; null when it is none of these.
[[nodiscard]] std::unique_ptr<const Normalizer> make_character_normalizer(const std::string& type,
                                                                          const ComponentFields& fields);

}  // namespace dflash
