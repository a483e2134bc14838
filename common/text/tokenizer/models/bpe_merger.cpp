#include "common/text/tokenizer/models/bpe_merger.h"

#include <algorithm>

namespace dflash {
namespace {

constexpr size_t kShortSymbols = 48;
constexpr uint32_t kNone = UINT32_MAX;

}  // namespace

void BpeMerger::merge_all(const MergeTable& merges, std::vector<BpeSymbol>& symbols) {
  if (symbols.size() < 2) return;
  if (symbols.size() <= kShortSymbols) {
    merge_short(merges, symbols);
  } else {
    merge_long(merges, symbols);
  }
}

void BpeMerger::merge_short(const MergeTable& merges, std::vector<BpeSymbol>& symbols) {
  pairs_.resize(symbols.size() - 1);
  for (size_t i = 0; i < pairs_.size(); ++i) pairs_[i] = merges.find(symbols[i].id, symbols[i + 1].id);
  while (!pairs_.empty()) {
    const auto best = std::ranges::min_element(pairs_, {}, &Merge::rank);
    if (best->rank == UINT32_MAX) return;
    const auto at = static_cast<size_t>(best - pairs_.begin());
    symbols[at] = {best->token, symbols[at].bytes + symbols[at + 1].bytes};
    symbols.erase(symbols.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    pairs_.erase(best);
    if (at > 0) pairs_[at - 1] = merges.find(symbols[at - 1].id, symbols[at].id);
    if (at < pairs_.size()) pairs_[at] = merges.find(symbols[at].id, symbols[at + 1].id);
  }
}

void BpeMerger::offer(const MergeTable& merges, const std::vector<BpeSymbol>& symbols, uint32_t left) {
  if (left == kNone || links_[left].next == kNone) return;
  const Merge merge = merges.find(symbols[left].id, symbols[links_[left].next].id);
  if (merge.rank == UINT32_MAX) return;
  heap_.push_back({(uint64_t{merge.rank} << 32U) | left, merge.token});
  std::ranges::push_heap(heap_, std::greater{}, &Candidate::order);
}

void BpeMerger::merge_long(const MergeTable& merges, std::vector<BpeSymbol>& symbols) {
  const auto count = static_cast<uint32_t>(symbols.size());
  links_.resize(count);
  heap_.clear();
  for (uint32_t i = 0; i < count; ++i) links_[i] = {i == 0 ? kNone : i - 1, i + 1 == count ? kNone : i + 1};
  for (uint32_t i = 0; i < count; ++i) offer(merges, symbols, i);
  while (!heap_.empty()) {
    std::ranges::pop_heap(heap_, std::greater{}, &Candidate::order);
    const Candidate top = heap_.back();
    heap_.pop_back();
    const uint32_t left = top.position();
    const uint32_t right = links_[left].next;
    if (symbols[left].bytes == 0 || right == kNone) continue;
    // An offer of symbols that have changed since.
    const Merge now = merges.find(symbols[left].id, symbols[right].id);
    if (now.rank == UINT32_MAX || now.token != top.token) continue;
    symbols[left] = {top.token, symbols[left].bytes + symbols[right].bytes};
    symbols[right].bytes = 0;
    links_[left].next = links_[right].next;
    if (links_[right].next != kNone) links_[links_[right].next].previous = left;
    offer(merges, symbols, links_[left].previous);
    offer(merges, symbols, left);
  }
  std::erase_if(symbols, [](const BpeSymbol& symbol) { return symbol.bytes == 0; });
}

}  // namespace dflash
