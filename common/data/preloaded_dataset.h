// PreloadedDataset: all documents, in memory or mapped, and the pack of any sequence number.
//
// Threading: one thread (PackOrder caches a window); a worker calls it from its prefetch thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/data/document_ids.h"
#include "common/data/documents.h"
#include "common/data/pack_order.h"

namespace dflash {

/// One row of exactly pack_tokens positions: documents side by side, padding behind them.
struct Pack {
  std::vector<int32_t> input_ids;        // [T]; 0 on padding
  std::vector<int32_t> document_ids;     // [T]; 0, 1, ... in the order of the pack, -1 on padding
  std::vector<int32_t> position_ids;     // [T]; restarts at 0 in every document, and on the padding
  std::vector<uint8_t> loss_mask;        // [T]; 0 on padding
  std::vector<int32_t> document_starts;  // first position of each document, then the end of the last one
};

class PreloadedDataset {
 public:
  PreloadedDataset(Documents documents, int64_t pack_tokens, uint64_t seed,
                   DocumentIdsWay document_ids = DocumentIdsWay::repeat);
  PreloadedDataset(const PreloadedDataset&) = delete;
  PreloadedDataset& operator=(const PreloadedDataset&) = delete;

  [[nodiscard]] Pack pack(int64_t sequence);
  [[nodiscard]] int64_t batches_in_epoch(int64_t epoch) { return order_.batches_in_epoch(epoch); }
  [[nodiscard]] const Documents& documents() const { return documents_; }
  /// Share of padding positions in one epoch: 0.002 is 0.2 %.
  [[nodiscard]] double padding_share(int64_t epoch);

 private:
  Documents documents_;
  int64_t pack_tokens_;
  DocumentIdsWay document_ids_;
  PackOrder order_;
};

}  // namespace dflash
