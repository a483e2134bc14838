#include "common/device/sim_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#endif

namespace dflash {
namespace {

constexpr uint16_t kNan = 0x7FC1;
constexpr size_t kAlignment = 64;

size_t rounded_up(size_t size, size_t unit) {
  return (size + unit - 1) / unit * unit;
}

/// The pages of a block of this size, without the two that guard it.
size_t inner_bytes(size_t size_bytes) {
  return rounded_up(size_bytes, static_cast<size_t>(getpagesize()));
}

std::byte nan_byte(size_t index) {
  return static_cast<std::byte>(index % 2 == 0 ? kNan & 0xFF : kNan >> 8);
}

}  // namespace

std::byte* allocate_guarded(size_t size_bytes) {
  const auto page = static_cast<size_t>(getpagesize());
  const size_t inner = inner_bytes(size_bytes);
  void* memory = mmap(nullptr, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  std::byte* begin = static_cast<std::byte*>(memory) + page;
  if (mprotect(begin, inner, PROT_READ | PROT_WRITE) != 0) {
    munmap(memory, inner + 2 * page);
    return nullptr;
  }
  return begin + inner - rounded_up(size_bytes, kAlignment);  // the end lies at the guard
}

void free_guarded(std::byte* begin, size_t size_bytes) noexcept {
  allow_access({begin, size_bytes});  // the addresses may come back as something else
  const auto page = static_cast<size_t>(getpagesize());
  const size_t inner = inner_bytes(size_bytes);
  munmap(begin + rounded_up(size_bytes, kAlignment) - inner - page, inner + 2 * page);
}

void fill_with_nan(std::span<std::byte> bytes) noexcept {
  const std::span<std::byte> first = bytes.first(std::min(bytes.size(), kAlignment));
  for (size_t i = 0; i < first.size(); ++i) first[i] = nan_byte(i);
  for (size_t done = first.size(); done < bytes.size();) {  // doubling: at the speed of memcpy
    const size_t size = std::min(done, bytes.size() - done);
    std::memcpy(bytes.data() + done, bytes.data(), size);
    done += size;
  }
}

bool is_filled_with_nan(std::span<const std::byte> bytes) noexcept {
  for (size_t i = 0; i < std::min<size_t>(bytes.size(), 2); ++i) {
    if (bytes[i] != nan_byte(i)) return false;
  }
  return bytes.size() <= 2 || std::memcmp(bytes.data(), bytes.data() + 2, bytes.size() - 2) == 0;
}

void forbid_access([[maybe_unused]] std::span<const std::byte> bytes) noexcept {
#ifdef __SANITIZE_ADDRESS__
  ASAN_POISON_MEMORY_REGION(bytes.data(), bytes.size());
#endif
}

void allow_access([[maybe_unused]] std::span<const std::byte> bytes) noexcept {
#ifdef __SANITIZE_ADDRESS__
  ASAN_UNPOISON_MEMORY_REGION(bytes.data(), bytes.size());
#endif
}

}  // namespace dflash
