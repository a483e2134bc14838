// What BERT's tokenizers take for punctuation and for accents: the reference library has tables of Unicode 8 for them,
// with every ASCII sign counted as punctuation.
//
// Threading: functions only.
#pragma once

namespace dflash {

[[nodiscard]] bool is_bert_punctuation(char32_t code_point);
[[nodiscard]] bool is_bert_accent(char32_t code_point);

}  // namespace dflash
