// Loss masks as bits: token t is bit t % 8 of byte t / 8, 1 where it is supervised.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dflash {

[[nodiscard]] constexpr uint64_t mask_bytes(uint64_t tokens) {
  return tokens / 8 + (tokens % 8 == 0 ? 0 : 1);
}

/// Appends the bits of `mask` (0, or anything else for 1) behind the first `tokens` bits of `bits`; what was appended
/// that is 1.
int64_t append_mask(std::span<const uint8_t> mask, uint64_t tokens, std::vector<uint8_t>& bits);

/// The bits from `first` on as bytes 0 and 1, as many as `mask` holds. They must lie inside `bits`.
void unpack_mask(std::span<const uint8_t> bits, uint64_t first, std::span<uint8_t> mask);

/// The bits that are 1.
[[nodiscard]] int64_t count_mask(std::span<const uint8_t> bits);

}  // namespace dflash
