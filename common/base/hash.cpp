#include "common/base/hash.h"

#include <xxhash.h>

#include "common/base/format.h"

namespace dflash {

struct Hasher::State {
  XXH3_state_t* raw = XXH3_createState();
  State() { XXH3_64bits_reset(raw); }
  ~State() { XXH3_freeState(raw); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
};

Hasher::Hasher() : state_(std::make_unique<State>()) {}
Hasher::~Hasher() = default;

void Hasher::add(std::span<const std::byte> bytes) {
  XXH3_64bits_update(state_->raw, bytes.data(), bytes.size());
}
uint64_t Hasher::value() const {
  return XXH3_64bits_digest(state_->raw);
}

uint64_t hash_bytes(std::span<const std::byte> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}
uint64_t hash_text(std::string_view text) {
  return XXH3_64bits(text.data(), text.size());
}
std::string hash_hex(uint64_t hash) {
  return format("{:016x}", hash);
}

}  // namespace dflash
