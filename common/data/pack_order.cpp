#include "common/data/pack_order.h"

#include <algorithm>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/data/keyed_permutation.h"

namespace dflash {

PackOrder::PackOrder(const Documents& documents, int64_t pack_tokens, uint64_t seed)
    : documents_(documents), pack_tokens_(pack_tokens), seed_(seed) {
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
  const KeyedPermutation shuffled(current_.packs.size(), key);
  return current_.packs[shuffled(static_cast<uint64_t>(batch))];
}

const std::vector<int64_t>& PackOrder::packs_before(int64_t epoch) {
  const int64_t windows = (documents_.count() + kWindowDocuments - 1) / kWindowDocuments;
  while (static_cast<int64_t>(packs_before_.size()) <= epoch) {
    const auto next_epoch = static_cast<int64_t>(packs_before_.size());
    std::vector<int64_t> before{0};
    for (int64_t window = 0; window < windows; ++window) {
      load_window(next_epoch, window);
      before.push_back(before.back() + static_cast<int64_t>(current_.packs.size()));
    }
    packs_before_.push_back(std::move(before));
  }
  return packs_before_[static_cast<size_t>(epoch)];
}

void PackOrder::load_window(int64_t epoch, int64_t window) {
  if (current_.epoch == epoch && current_.window == window) return;
  const CounterRandom key(seed_, RandomPurpose::document_order, static_cast<uint64_t>(epoch));
  const KeyedPermutation order(static_cast<uint64_t>(documents_.count()), key);
  const int64_t begin = window * kWindowDocuments;
  const int64_t end = std::min(begin + kWindowDocuments, documents_.count());
  std::vector<int64_t> documents, lengths;
  for (int64_t position = begin; position < end; ++position) {
    documents.push_back(static_cast<int64_t>(order(static_cast<uint64_t>(position))));
    lengths.push_back(documents_.length(documents.back()));
  }
  current_ = {epoch, window, pack_best_fit(lengths, pack_tokens_)};
  for (std::vector<int64_t>& pack : current_.packs) {
    for (int64_t& document : pack) document = documents[static_cast<size_t>(document)];
  }
}

}  // namespace dflash
