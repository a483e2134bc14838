#include "common/data/pack_order.h"

#include <algorithm>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/data/keyed_permutation.h"

namespace dflash {

PackOrder::PackOrder(const Documents& documents, int64_t pack_tokens, uint64_t seed)
    : documents_(documents), seed_(seed), packer_(pack_tokens) {
  if (documents.count() == 0) throw Error(ErrorKind::internal, "an order of no documents");
}

int64_t PackOrder::batches_in_epoch(int64_t epoch) {
  return packs_before(epoch).back();
}

std::vector<int64_t> PackOrder::documents_of(int64_t sequence) {
  if (sequence < 0) throw Error(ErrorKind::internal, format("batch {}: sequence numbers begin at 0", sequence));
  int64_t epoch = 0, batch = sequence;
  for (; batch >= batches_in_epoch(epoch); ++epoch) batch -= batches_in_epoch(epoch);
  const std::vector<int64_t>& before = packs_before(epoch);
  const int64_t window = std::upper_bound(before.begin(), before.end(), batch) - before.begin() - 1;
  batch -= before[static_cast<size_t>(window)];
  load_window(epoch, window);
  const CounterRandom key(seed_, RandomPurpose::pack_order, static_cast<uint64_t>(epoch),
                          static_cast<uint64_t>(window));
  const KeyedPermutation shuffled(static_cast<uint64_t>(packer_.packs()), key);
  const auto pack = static_cast<int64_t>(shuffled(static_cast<uint64_t>(batch)));
  std::vector<int64_t> documents;
  for (const int32_t index : packer_.documents_of(pack)) documents.push_back(elements_[static_cast<size_t>(index)]);
  return documents;
}

const std::vector<int64_t>& PackOrder::packs_before(int64_t epoch) {
  const int64_t windows = (documents_.count() + kWindowDocuments - 1) / kWindowDocuments;
  while (static_cast<int64_t>(packs_before_.size()) <= epoch) {
    const auto next_epoch = static_cast<int64_t>(packs_before_.size());
    std::vector<int64_t> before{0};
    for (int64_t window = 0; window < windows; ++window) {
      load_window(next_epoch, window);
      before.push_back(before.back() + packer_.packs());
    }
    packs_before_.push_back(std::move(before));
  }
  return packs_before_[static_cast<size_t>(epoch)];
}

void PackOrder::load_window(int64_t epoch, int64_t window) {
  if (epoch_ == epoch && window_ == window) return;
  window_ = -1;  // none, should something be thrown
  const CounterRandom key(seed_, RandomPurpose::document_order, static_cast<uint64_t>(epoch));
  const KeyedPermutation order(static_cast<uint64_t>(documents_.count()), key);
  const int64_t begin = window * kWindowDocuments;
  const auto count = static_cast<size_t>(std::min(kWindowDocuments, documents_.count() - begin));
  elements_.resize(count);
  lengths_.resize(count);
  order.fill(static_cast<uint64_t>(begin), elements_);
  documents_.copy_lengths(elements_, lengths_);
  packer_.pack(lengths_);
  epoch_ = epoch;
  window_ = window;
}

}  // namespace dflash
