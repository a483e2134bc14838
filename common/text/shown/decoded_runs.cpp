#include "common/text/shown/decoded_runs.h"

#include <algorithm>

#include "common/text/unicode/utf8.h"

namespace dflash {
namespace {

/// Bytes of `text` that `beginning` is sure of: the decoded first tokens end in other characters where the next token
/// completes them.
size_t common_bytes(const std::string& text, const std::string& beginning) {
  const auto [end, ignored] = std::ranges::mismatch(text, beginning);
  auto bytes = static_cast<size_t>(end - text.begin());
  while (bytes > 0 && bytes < text.size() && !begins_character(text[bytes])) --bytes;
  return bytes;
}

}  // namespace

std::vector<DecodedRun> decode_runs(const Tokenizer& tokenizer, std::span<const uint32_t> ids,
                                    std::span<const uint8_t> loss_mask) {
  const std::string text = tokenizer.decode(ids, false);
  std::vector<DecodedRun> runs;
  size_t begin = 0;  // of the run, in the text
  for (size_t token = 1; token <= ids.size(); ++token) {
    const bool at_end = token == ids.size();
    const bool supervised = loss_mask[token - 1] != 0;
    if (!at_end && supervised == (loss_mask[token] != 0)) continue;
    const size_t end =
        at_end ? text.size() : std::max(begin, common_bytes(text, tokenizer.decode(ids.first(token), false)));
    runs.push_back({text.substr(begin, end - begin), supervised});
    begin = end;
  }
  return runs;
}

}  // namespace dflash
