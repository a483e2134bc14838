#include "common/data/prepared/mask_bits.h"

#include <bit>
#include <cstring>

namespace dflash {

int64_t append_mask(std::span<const uint8_t> mask, uint64_t tokens, std::vector<uint8_t>& bits) {
  bits.resize(mask_bytes(tokens + mask.size()), 0);
  int64_t ones = 0;
  for (const uint8_t value : mask) {
    const unsigned bit = value != 0 ? 1 : 0;
    bits[tokens / 8] = static_cast<uint8_t>(bits[tokens / 8] | bit << tokens % 8);
    ones += bit;
    ++tokens;
  }
  return ones;
}

void unpack_mask(std::span<const uint8_t> bits, uint64_t first, std::span<uint8_t> mask) {
  for (uint8_t& value : mask) {
    value = static_cast<uint8_t>(bits[first / 8] >> first % 8 & 1);
    ++first;
  }
}

int64_t count_mask(std::span<const uint8_t> bits) {
  int64_t ones = 0;
  for (; bits.size() >= sizeof(uint64_t); bits = bits.subspan(sizeof(uint64_t))) {
    uint64_t word = 0;
    std::memcpy(&word, bits.data(), sizeof(word));
    ones += std::popcount(word);
  }
  for (const uint8_t byte : bits) ones += std::popcount(byte);
  return ones;
}

}  // namespace dflash
