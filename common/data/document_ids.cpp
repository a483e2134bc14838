#include "common/data/document_ids.h"

#include <algorithm>

namespace dflash {
namespace {

void repeat_ids(std::span<const int32_t> starts, std::span<int32_t> ids) {
  for (size_t document = 0; document + 1 < starts.size(); ++document) {
    std::fill(ids.begin() + starts[document], ids.begin() + starts[document + 1], static_cast<int32_t>(document));
  }
  std::fill(ids.begin() + starts.back(), ids.end(), -1);
}

void sum_up_marks(std::span<const int32_t> starts, std::span<int32_t> ids) {
  std::ranges::fill(ids, 0);
  const auto positions = static_cast<int32_t>(ids.size());
  for (const int32_t start : starts) {
    if (start < positions) ++ids[static_cast<size_t>(start)];
  }
  int32_t document = -1;
  for (int32_t position = 0; position < positions; ++position) {
    document += ids[static_cast<size_t>(position)];
    ids[static_cast<size_t>(position)] = position < starts.back() ? document : -1;
  }
}

}  // namespace

void fill_document_ids(DocumentIdsWay way, std::span<const int32_t> starts, std::span<int32_t> ids) {
  way == DocumentIdsWay::repeat ? repeat_ids(starts, ids) : sum_up_marks(starts, ids);
}

}  // namespace dflash
