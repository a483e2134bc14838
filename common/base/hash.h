// 64-bit XXH3 hashes of settings, layouts and data: to compare two ends, not to defend against an adversary.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace dflash {

[[nodiscard]] uint64_t hash_bytes(std::span<const std::byte> bytes);
[[nodiscard]] uint64_t hash_text(std::string_view text);
/// Sixteen lower-case hexadecimal digits.
[[nodiscard]] std::string hash_hex(uint64_t hash);

/// The same hash, fed piece by piece.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(const Hasher&) = delete;
  Hasher& operator=(const Hasher&) = delete;
  void add(std::span<const std::byte> bytes);
  [[nodiscard]] uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dflash
