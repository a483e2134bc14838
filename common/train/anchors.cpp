#include "common/train/anchors.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

namespace dflash {

std::vector<int64_t> eligible_anchors(const HiddenStateBatch& batch) {
  const uint8_t* mask = batch.loss_mask.const_data_ptr<uint8_t>();
  const int32_t* documents = batch.document_ids.const_data_ptr<int32_t>();
  std::vector<int64_t> rows;
  for (int64_t row = 0; row + 1 < batch.loss_mask.size(0); ++row) {
    const bool real = documents[row] >= 0 && documents[row] == documents[row + 1];
    if (real && mask[row] != 0 && mask[row + 1] != 0) rows.push_back(row);
  }
  return rows;
}

std::vector<int64_t> sample_anchors(const std::vector<int64_t>& eligible, int64_t most, const CounterRandom& random) {
  if (static_cast<int64_t>(eligible.size()) <= most) return eligible;
  std::vector<std::pair<uint64_t, int64_t>> drawn;
  drawn.reserve(eligible.size());
  for (const int64_t row : eligible) drawn.emplace_back(random.bits(static_cast<uint64_t>(row)), row);
  std::nth_element(drawn.begin(), drawn.begin() + most, drawn.end());
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < most; ++i) rows.push_back(drawn[static_cast<size_t>(i)].second);
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace dflash
