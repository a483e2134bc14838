// Captured states in many shapes, for tests that hold one way of packing against another.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "common/base/random.h"
#include "common/data/batch_layout.h"
#include "common/data/captured_states.h"

namespace dflash {

struct PackCase {
  std::string name;
  int64_t tokens, hidden;
  DType dtype;
  bool split;
  double strength;
  bool finite;
  [[nodiscard]] BatchLayout layout() const { return make_batch_layout(tokens, hidden, {1, 4, 7}, dtype, split); }
  [[nodiscard]] StateNoise noise() const { return {strength, 11, 5}; }
};

/// Rows that are whole pieces of 16 bytes and rows that are not, both dtypes, clean and noisy, with a NaN and without.
inline std::vector<PackCase> pack_cases() {
  std::vector<PackCase> cases;
  for (const int64_t hidden : {8, 24, 5, 13, 1}) {
    for (const DType dtype : {DType::f32, DType::bf16}) {
      for (const bool split : {false, true}) {
        for (const double strength : {0.0, 0.3}) {
          for (const bool finite : {true, false}) {
            cases.push_back({"H " + std::to_string(hidden) + " " + std::string(dtype_code(dtype)) +
                                 (split ? " split" : "") + (strength > 0 ? " noisy" : "") +
                                 (finite ? "" : " with a NaN"),
                             19, hidden, dtype, split, strength, finite});
          }
        }
      }
    }
  }
  return cases;
}

/// [L, T, H]: random signs and mantissas, exponents of many sizes.
inline std::vector<std::byte> captured_of(const PackCase& pack) {
  const BatchLayout layout = pack.layout();
  std::vector<std::byte> bytes(layout.captured_bytes());
  const CounterRandom random(3, RandomPurpose::weights, 0);
  const size_t element_bytes = dtype_bytes(pack.dtype), count = bytes.size() / element_bytes;
  for (size_t i = 0; i < count; ++i) {
    const auto word = static_cast<uint32_t>(random.bits(i));
    // Exponents 120 to 134 of 255.
    const uint32_t number = (word & 0x807fffffU) | ((120U + (word >> 23) % 15U) << 23);
    std::memcpy(bytes.data() + i * element_bytes, reinterpret_cast<const std::byte*>(&number) + 4 - element_bytes,
                element_bytes);
  }
  if (!pack.finite) {
    const uint32_t nan = 0xffc00000U;
    std::memcpy(bytes.data() + (count - 2) * element_bytes,
                reinterpret_cast<const std::byte*>(&nan) + 4 - element_bytes, element_bytes);
  }
  return bytes;
}

/// What they are to become, by the host's own way.
struct ExpectedStates {
  std::vector<std::byte> states;
  bool finite = false;
};
inline ExpectedStates expected_states(const PackCase& pack) {
  const BatchLayout layout = pack.layout();
  const std::vector<std::byte> captured = captured_of(pack);
  ExpectedStates expected{std::vector<std::byte>(layout.captured_bytes()), false};
  expected.finite = pack.split ? copy_captured_layers(captured, layout, expected.states)
                               : pack_hidden_states_from_captured(captured, layout, pack.noise(), expected.states);
  return expected;
}

}  // namespace dflash
