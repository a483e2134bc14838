// The arithmetic of philox() (random.h), for the host and the GPU: one round of a block, for who computes many blocks
// side by side, and a whole block.
#pragma once

#include <cstdint>

#include "common/base/host_device.h"

namespace dflash {

/// Words of a block, or its counter.
struct PhiloxWords {
  uint32_t word[4];
};
struct PhiloxKey {
  uint32_t word[2];
};

constexpr int kPhiloxRounds = 10;

DFLASH_HOST_DEVICE void philox_round(const PhiloxKey& key, uint32_t& c0, uint32_t& c1, uint32_t& c2, uint32_t& c3) {
  const uint64_t a = uint64_t{0xD2511F53U} * c0, b = uint64_t{0xCD9E8D57U} * c2;
  c0 = static_cast<uint32_t>(b >> 32) ^ c1 ^ key.word[0];
  c2 = static_cast<uint32_t>(a >> 32) ^ c3 ^ key.word[1];
  c1 = static_cast<uint32_t>(b);
  c3 = static_cast<uint32_t>(a);
}

/// The key of the next round.
DFLASH_HOST_DEVICE PhiloxKey next_key(PhiloxKey key) {
  return {{key.word[0] + 0x9E3779B9U, key.word[1] + 0xBB67AE85U}};
}

DFLASH_HOST_DEVICE PhiloxWords philox_block(PhiloxKey key, PhiloxWords c) {
  for (int round = 0; round < kPhiloxRounds; ++round) {
    philox_round(key, c.word[0], c.word[1], c.word[2], c.word[3]);
    key = next_key(key);
  }
  return c;
}

}  // namespace dflash
