#include "common/data/preloaded_dataset.h"

#include <numeric>
#include <utility>

namespace dflash {

PreloadedDataset::PreloadedDataset(Documents documents, int64_t pack_tokens, uint64_t seed, DocumentIdsWay document_ids)
    : documents_(std::move(documents)),
      pack_tokens_(pack_tokens),
      document_ids_(document_ids),
      order_(documents_, pack_tokens, seed) {}

Pack PreloadedDataset::pack(int64_t sequence) {
  const auto size = static_cast<size_t>(pack_tokens_);
  Pack pack{std::vector<int32_t>(size, 0),
            std::vector<int32_t>(size),
            std::vector<int32_t>(size, 0),
            std::vector<uint8_t>(size, 0),
            {0}};
  for (const int64_t document : order_.documents_of(sequence)) {
    const auto begin = pack.document_starts.back();
    const int64_t length = documents_.length(document);
    const auto end = begin + static_cast<int32_t>(length);
    const auto from = static_cast<size_t>(begin), tokens = static_cast<size_t>(length);
    documents_.copy(document, std::span(pack.input_ids).subspan(from, tokens),
                    std::span(pack.loss_mask).subspan(from, tokens));
    std::iota(pack.position_ids.begin() + begin, pack.position_ids.begin() + end, 0);
    pack.document_starts.push_back(end);
  }
  fill_document_ids(document_ids_, pack.document_starts, pack.document_ids);
  std::iota(pack.position_ids.begin() + pack.document_starts.back(), pack.position_ids.end(), 0);
  return pack;
}

double PreloadedDataset::padding_share(int64_t epoch) {
  const auto positions = static_cast<double>(batches_in_epoch(epoch) * pack_tokens_);
  return 1.0 - static_cast<double>(documents_.tokens()) / positions;
}

}  // namespace dflash
