// Memory of a simulated device: every block ends at a page that may not be touched, and memory that nobody may read
// holds NaN and is poisoned for AddressSanitizer.
//
// One pattern serves all element types: 0x7FC1 twice is a NaN as bf16, as fp16 and, read as fp32 (0x7FC17FC1), a NaN
// too; as int32 it is 2,143,387,585, which no token, document or position is.
#pragma once

#include <cstddef>
#include <span>

namespace dflash {

/// Null when there is no room. 64-byte aligned.
[[nodiscard]] std::byte* allocate_guarded(size_t size_bytes);
void free_guarded(std::byte* begin, size_t size_bytes) noexcept;

void fill_with_nan(std::span<std::byte> bytes) noexcept;
[[nodiscard]] bool is_filled_with_nan(std::span<const std::byte> bytes) noexcept;

/// For AddressSanitizer; nothing in other builds.
void forbid_access(std::span<const std::byte> bytes) noexcept;
void allow_access(std::span<const std::byte> bytes) noexcept;

}  // namespace dflash
