#include "common/data/batch_slot.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <vector>

#include "common/base/random.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

using Bytes = std::vector<std::byte>;
constexpr int64_t kTokens = 24;

BatchLayout layout_of(bool split) {
  return make_batch_layout(kTokens, 6, {0, 3}, DType::bf16, split);
}

Pack some_pack() {
  Pack pack{std::vector<int32_t>(kTokens, 4),
            std::vector<int32_t>(kTokens, 0),
            std::vector<int32_t>(kTokens, 7),
            std::vector<uint8_t>(kTokens, 1),
            {0, 20}};
  for (size_t i = 0; i < kTokens; ++i) pack.input_ids[i] = static_cast<int32_t>(i * i);
  return pack;
}

Bytes some_states() {
  Bytes bytes(layout_of(false).captured_bytes());
  const CounterRandom random(2, RandomPurpose::weights, 0);
  for (size_t i = 0; i < bytes.size(); i += 2) {
    const auto half = static_cast<uint16_t>(0x3f00 + random.bits(i) % 0x180);
    std::memcpy(bytes.data() + i, &half, 2);
  }
  return bytes;
}

Bytes filled(bool split, const StateNoise& noise, const Bytes& states = some_states()) {
  Bytes slot(layout_of(split).slot_bytes, std::byte{0xAB});
  fill_batch_slot(slot, layout_of(split), 12, some_pack(), states, noise);
  return slot;
}

/// Without the gaps between the fields, which hold what they held.
Bytes fields(const Bytes& slot) {
  const BatchLayout layout = layout_of(false);
  Bytes all;
  const auto add = [&](size_t offset, size_t size) {
    all.insert(all.end(), slot.begin() + static_cast<std::ptrdiff_t>(offset),
               slot.begin() + static_cast<std::ptrdiff_t>(offset + size));
  };
  add(0, sizeof(BatchHeader));
  for (const size_t offset : {layout.input_ids_offset, layout.document_ids_offset, layout.position_ids_offset}) {
    add(offset, 4 * kTokens);
  }
  add(layout.loss_mask_offset, kTokens);
  add(layout.captured_offset, layout.captured_bytes());
  return all;
}

TEST(BatchSlot, HoldsThePackAndSaysWhatItIs) {
  const BatchLayout layout = layout_of(false);
  const Bytes slot = filled(false, {});
  const BatchHeader header = read_batch_header(slot, layout);
  EXPECT_EQ(header.sequence, 12);
  EXPECT_EQ(header.used_tokens, 20);
  EXPECT_EQ(header.finite, 1U);
  EXPECT_EQ(header.noise_added, 0U);
  std::vector<int32_t> ids(kTokens);
  std::memcpy(ids.data(), slot.data() + layout.input_ids_offset, 4 * kTokens);
  EXPECT_EQ(ids, some_pack().input_ids);
}

TEST(BatchSlot, ThreeWaysGiveTheSameBits) {
  const StateNoise noise{0.3, 8, 12};
  const Bytes packed = filled(false, noise);
  EXPECT_FALSE(needs_assembly(read_batch_header(packed, layout_of(false)), layout_of(false), noise));

  for (const bool split : {true, false}) {  // split on the way; recorded clean
    const Bytes clean = filled(split, split ? noise : StateNoise());
    ASSERT_TRUE(needs_assembly(read_batch_header(clean, layout_of(split)), layout_of(split), noise));
    Bytes assembled(clean.size());
    assemble_batch(clean, layout_of(split), noise, assembled);
    EXPECT_EQ(fields(assembled), fields(packed)) << (split ? "split" : "clean");
  }
}

TEST(BatchSlot, NoiseIsNotAddedTwice) {
  const StateNoise noise{0.3, 8, 12};
  const Bytes packed = filled(false, noise);
  Bytes again(packed.size());
  assemble_batch(packed, layout_of(false), noise, again);
  EXPECT_EQ(fields(again), fields(packed));
}

TEST(BatchSlot, SaysThatAValueIsNotFinite) {
  Bytes states = some_states();
  const uint16_t infinity = 0x7f80;
  std::memcpy(states.data() + 34, &infinity, 2);
  for (const bool split : {false, true}) {
    EXPECT_EQ(read_batch_header(filled(split, {}, states), layout_of(split)).finite, 0U);
  }
}

TEST(BatchSlot, APackOfAnotherSizeIsRefused) {
  Pack pack = some_pack();
  pack.loss_mask.pop_back();
  Bytes slot(layout_of(false).slot_bytes);
  expect_error(ErrorKind::internal, "a pack of 24 positions",
               [&] { fill_batch_slot(slot, layout_of(false), 1, pack, some_states(), {}); });
}

}  // namespace
}  // namespace dflash
