#include "common/model/kv_cache.h"

#include <ATen/ATen.h>

namespace dflash {

KvCache::KvCache(int64_t layers, int64_t kv_heads, int64_t capacity, int64_t head_dim, at::ScalarType type)
    : keys_(at::empty({layers, kv_heads, capacity, head_dim}, at::TensorOptions().dtype(type))),
      values_(at::empty({layers, kv_heads, capacity, head_dim}, at::TensorOptions().dtype(type))) {}

KvCache::Layer KvCache::append(int64_t layer, const at::Tensor& k, const at::Tensor& v) {
  const int64_t rows = k.size(0);
  TORCH_CHECK(length_ + rows <= keys_.size(2), "the key/value cache holds ", keys_.size(2), " rows");
  const at::Tensor keys = keys_.select(0, layer), values = values_.select(0, layer);
  keys.narrow(1, length_, rows).copy_(k.transpose(0, 1));
  values.narrow(1, length_, rows).copy_(v.transpose(0, 1));
  return {keys.narrow(1, 0, length_ + rows), values.narrow(1, 0, length_ + rows)};
}

at::Tensor next_positions(std::span<const CachedRows> sequences) {
  std::vector<at::Tensor> parts;
  for (const auto& [cache, rows] : sequences)
    parts.push_back(at::arange(cache->length(), cache->length() + rows, at::kLong));
  return at::cat(parts);
}

}  // namespace dflash
