// WindowPacker: best fit, longest first, of one window of documents after the other.
//
// The longest document left (of equal ones the first) goes where it leaves the least room (of equal ones into the
// oldest pack), or opens a pack. Millions of documents a second: the sort counts, the rooms stand in lists.
//
// Threading: one thread. Owns: buffers of the size of a window, and OpenPacks.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "common/data/open_packs.h"

namespace dflash {

class WindowPacker {
 public:
  explicit WindowPacker(int64_t pack_tokens);

  /// Packs documents of these lengths (at least 1 each) in place of the last ones; the number of packs. Error{internal}
  /// for a document that is longer than a pack.
  int64_t pack(std::span<const int64_t> lengths);
  [[nodiscard]] int64_t packs() const { return static_cast<int64_t>(rooms_.size()); }
  /// Indices into the lengths, in the order they stand in the pack.
  [[nodiscard]] std::span<const int32_t> documents_of(int64_t pack) const;

 private:
  struct Document {
    int32_t length, index;
  };
  void sort_longest_first(std::span<const int64_t> lengths);
  void place_all();
  void group_by_pack();

  int32_t pack_tokens_;
  OpenPacks open_;
  std::vector<Document> documents_, other_;  // longest first; the sort's second buffer
  std::vector<int32_t> pack_of_;             // [document, longest first]
  std::vector<int32_t> rooms_;               // [pack]: tokens free
  std::vector<int32_t> grouped_;             // indices, pack by pack
  std::vector<int32_t> ends_;                // [pack]: behind its last one in grouped_
};

/// The same of one list of lengths: indices into it, grouped into packs of at most `pack_tokens`.
[[nodiscard]] std::vector<std::vector<int64_t>> pack_best_fit(const std::vector<int64_t>& lengths, int64_t pack_tokens);

}  // namespace dflash
