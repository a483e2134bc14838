// PackOrder: which documents batch s holds, as a pure function of (document lengths, pack_tokens, seed, s).
//
// An epoch is a keyed permutation of all documents. Windows of 4,096 documents of that order are packed alone (best
// fit, longest first) and the packs of a window are shuffled by a second keyed permutation. Kept in memory: the number
// of packs before each window, per epoch touched (one number per window). Batch s is found by bisecting them and
// packing one window.
//
// Threading: one thread (the last packed window and the counts of epochs are cached).
#pragma once

#include <cstdint>
#include <vector>

#include "common/data/documents.h"
#include "common/data/window_packer.h"

namespace dflash {

constexpr int64_t kWindowDocuments = 4096;

class PackOrder {
 public:
  /// `documents` must outlive the order.
  PackOrder(const Documents& documents, int64_t pack_tokens, uint64_t seed);

  /// Packs of one epoch (epochs differ by a few, since their windows hold other documents).
  [[nodiscard]] int64_t batches_in_epoch(int64_t epoch);
  /// The documents of batch `sequence`, in the order they stand in the pack. Their lengths sum to at most pack_tokens.
  [[nodiscard]] std::vector<int64_t> documents_of(int64_t sequence);

 private:
  [[nodiscard]] const std::vector<int64_t>& packs_before(int64_t epoch);  // size windows + 1
  void load_window(int64_t epoch, int64_t window);

  const Documents& documents_;
  uint64_t seed_;
  std::vector<std::vector<int64_t>> packs_before_;  // [epoch][window]

  int64_t epoch_ = -1, window_ = -1;         // the window that is packed
  std::vector<int64_t> elements_, lengths_;  // its documents
  WindowPacker packer_;
};

}  // namespace dflash
