#include "common/data/documents.h"

#include <algorithm>
#include <utility>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/hash.h"
#include "common/data/prepared/mask_bits.h"

namespace dflash {

Documents::Place Documents::place_of(int64_t document) const {
  const auto next = std::ranges::upper_bound(first_documents_, document);
  const auto index = static_cast<size_t>(next - first_documents_.begin() - 1);
  const Block& block = blocks_[index];
  const auto inside = static_cast<size_t>(document - first_documents_[index]);
  const uint64_t begin = block.starts[inside];
  return {block, begin, block.starts[inside + 1] - begin};
}

int64_t Documents::length(int64_t document) const {
  return static_cast<int64_t>(place_of(document).length);
}

void Documents::copy_lengths(std::span<const int64_t> documents, std::span<int64_t> lengths) const {
  for (size_t i = 0; i < documents.size(); ++i) lengths[i] = length(documents[i]);
}

std::span<const int32_t> Documents::input_ids(int64_t document) const {
  const auto [block, begin, length] = place_of(document);
  return block.input_ids.subspan(begin, length);
}

void Documents::copy(int64_t document, std::span<int32_t> input_ids, std::span<uint8_t> loss_mask) const {
  const auto [block, begin, length] = place_of(document);
  std::ranges::copy(block.input_ids.subspan(begin, length), input_ids.begin());
  if (block.shard == nullptr) {
    std::copy_n(block.loss_mask + begin, length, loss_mask.begin());
    return;
  }
  const auto [least, greatest] = std::ranges::minmax(input_ids);
  if (least < 0 || greatest > block.shard->facts().max_id) {
    throw Error(ErrorKind::input_file,
                format("{}: damaged: a document with ids in {}..{}, its shard says 0..{}; prepare the data again",
                       block.path->string(), least, greatest, block.shard->facts().max_id));
  }
  unpack_mask(block.shard->mask_bits(), begin, loss_mask);
}

uint64_t Documents::hash_of(const Part& part) {
  if (part.folder) return part.folder->hash();
  Hasher hasher;
  hasher.add(std::as_bytes(std::span(part.memory->starts)));
  hasher.add(std::as_bytes(std::span(part.memory->input_ids)));
  hasher.add(std::as_bytes(std::span(part.memory->loss_mask)));
  return hasher.value();
}

uint64_t Documents::hash() const {
  if (parts_.size() == 1) return hash_of(parts_.front());
  Hasher hasher;
  for (const Part& part : parts_) {
    const uint64_t hash = hash_of(part);
    hasher.add(std::as_bytes(std::span(&hash, 1)));
  }
  return hasher.value();
}

Documents::InMemory& Documents::memory_at_the_end() {
  if (parts_.empty() || !parts_.back().memory) {
    parts_.push_back({std::make_unique<InMemory>(), nullptr});
    blocks_.emplace_back();
    first_documents_.push_back(count_);
  }
  return *parts_.back().memory;
}

void Documents::add(std::span<const int32_t> input_ids, std::span<const uint8_t> loss_mask) {
  if (input_ids.empty() || input_ids.size() != loss_mask.size()) {
    throw Error(ErrorKind::internal, "a document needs tokens, and one mask value for each");
  }
  InMemory& memory = memory_at_the_end();
  memory.input_ids.insert(memory.input_ids.end(), input_ids.begin(), input_ids.end());
  memory.loss_mask.insert(memory.loss_mask.end(), loss_mask.begin(), loss_mask.end());
  memory.starts.push_back(memory.input_ids.size());
  // The vectors may have moved.
  blocks_.back() = {memory.starts, memory.input_ids, memory.loss_mask.data(), nullptr, nullptr};
  ++count_;
  tokens_ += static_cast<int64_t>(input_ids.size());
}

void Documents::add(PreparedFolder folder) {
  parts_.push_back({nullptr, std::make_unique<const PreparedFolder>(std::move(folder))});
  const PreparedFolder& kept = *parts_.back().folder;
  for (const ShardFile& shard : kept.shards()) {
    blocks_.push_back({shard.offsets(), shard.ids(), nullptr, &shard, &kept.path()});
    first_documents_.push_back(count_);
    count_ += shard.facts().documents;
    tokens_ += shard.facts().tokens;
  }
}

}  // namespace dflash
