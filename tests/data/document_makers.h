// Documents made for a test: lengths from a seed, tokens that tell document and position.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "common/data/documents.h"

namespace dflash {

/// Lengths between 30 and 500, most of them short: those of chats.
[[nodiscard]] inline std::vector<int64_t> chat_lengths(size_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<int64_t> lengths;
  for (size_t i = 0; i < count; ++i) {
    const int64_t a = random() % 471, b = random() % 471;
    lengths.push_back(30 + a * b / 471);
  }
  return lengths;
}

/// Document d holds the tokens 1000 d, 1000 d + 1, ...; all but the first are supervised.
[[nodiscard]] inline Documents make_documents(const std::vector<int64_t>& lengths) {
  Documents documents;
  for (size_t d = 0; d < lengths.size(); ++d) {
    std::vector<int32_t> ids;
    for (int64_t i = 0; i < lengths[d]; ++i) ids.push_back(static_cast<int32_t>(d) * 1000 + static_cast<int32_t>(i));
    std::vector<uint8_t> mask(ids.size(), 1);
    mask[0] = 0;
    documents.add(ids, mask);
  }
  return documents;
}

[[nodiscard]] inline std::vector<uint8_t> loss_mask_of(const Documents& documents, int64_t document) {
  std::vector<int32_t> ids(static_cast<size_t>(documents.length(document)));
  std::vector<uint8_t> mask(ids.size(), 9);
  documents.copy(document, ids, mask);
  return mask;
}

}  // namespace dflash
