// MixedText: documents of many kinds for measuring tokenizers, the same for the same seed and the same tree.
//
// By bytes: 35 % English, 22 % source text, 10 % chats with their markers, 9 % Russian, 8 % Chinese, Japanese and
// Korean, 6 % tables, numbers and JSON, 6 % languages with accents, 4 % Greek, Arabic, Hindi and emoji. A document
// holds 1 to 8 kB.
//
// What flatters a cache of words is text that repeats itself. English words are drawn from the tree's own pages and
// comments as often as they stand there, and every tenth is a rare one, put together of parts or made up: of four
// million words about one in twenty is new, as in text of this size that people wrote. Source text comes from the tree,
// with one name in eight replaced.
//
// Threading: functions only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace dflash::bench {

/// UTF-8 documents of `bytes` or a little more in all. `tree`: the root of a checkout, read for words and sources.
[[nodiscard]] std::vector<std::string> make_mixed_text(const std::filesystem::path& tree, size_t bytes, uint64_t seed);

}  // namespace dflash::bench
