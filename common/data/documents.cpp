#include "common/data/documents.h"

#include "common/base/error.h"
#include "common/base/hash.h"

namespace dflash {

int64_t Documents::length(int64_t document) const {
  const auto index = static_cast<size_t>(document);
  return starts_[index + 1] - starts_[index];
}

std::span<const int32_t> Documents::input_ids(int64_t document) const {
  return std::span(input_ids_)
      .subspan(static_cast<size_t>(starts_[static_cast<size_t>(document)]), static_cast<size_t>(length(document)));
}

std::span<const uint8_t> Documents::loss_mask(int64_t document) const {
  return std::span(loss_mask_)
      .subspan(static_cast<size_t>(starts_[static_cast<size_t>(document)]), static_cast<size_t>(length(document)));
}

uint64_t Documents::hash() const {
  Hasher hasher;
  hasher.add(std::as_bytes(std::span(starts_)));
  hasher.add(std::as_bytes(std::span(input_ids_)));
  hasher.add(std::as_bytes(std::span(loss_mask_)));
  return hasher.value();
}

void Documents::add(std::span<const int32_t> input_ids, std::span<const uint8_t> loss_mask) {
  if (input_ids.empty() || input_ids.size() != loss_mask.size()) {
    throw Error(ErrorKind::internal, "a document needs tokens, and one mask value for each");
  }
  input_ids_.insert(input_ids_.end(), input_ids.begin(), input_ids.end());
  loss_mask_.insert(loss_mask_.end(), loss_mask.begin(), loss_mask.end());
  starts_.push_back(static_cast<int64_t>(input_ids_.size()));
}

}  // namespace dflash
