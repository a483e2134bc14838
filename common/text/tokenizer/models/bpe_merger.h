// Byte pair encoding proper: symbols of a word in, the symbols left after all merges out.
//
// Always the merge of the lowest rank first, of equal ones the leftmost. Short words look through all pairs each time;
// long ones keep a heap, so that a word of a megabyte ends too.
//
// Threading: a BpeMerger belongs to one thread.
#pragma once

#include <cstdint>
#include <vector>

#include "common/text/tokenizer/models/merge_table.h"

namespace dflash {

struct BpeSymbol {
  uint32_t id;
  uint32_t bytes;  ///< of the word that it covers
};

class BpeMerger {
 public:
  void merge_all(const MergeTable& merges, std::vector<BpeSymbol>& symbols);

 private:
  void merge_short(const MergeTable& merges, std::vector<BpeSymbol>& symbols);
  void merge_long(const MergeTable& merges, std::vector<BpeSymbol>& symbols);

  struct Link {
    uint32_t previous;
    uint32_t next;
  };
  struct Candidate {
    uint64_t order;  // rank, then position
    uint32_t token;
    [[nodiscard]] uint32_t position() const { return static_cast<uint32_t>(order); }
  };
  void offer(const MergeTable& merges, const std::vector<BpeSymbol>& symbols, uint32_t left);

  std::vector<Merge> pairs_;  // of symbol i and i + 1
  std::vector<Link> links_;
  std::vector<Candidate> heap_;
};

}  // namespace dflash
