#include "common/data/batch_layout.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <limits>
#include <set>

#include "tests/support/errors.h"

namespace dflash {
namespace {

BatchLayout small_layout() {
  return make_batch_layout(100, 48, {1, 3}, DType::f32);
}

TEST(BatchLayout, OffsetsByHand) {
  const BatchLayout layout = small_layout();
  EXPECT_EQ(layout.input_ids_offset, 64u);      // header of 40
  EXPECT_EQ(layout.document_ids_offset, 512u);  // 64 + 400 to the next multiple of 64
  EXPECT_EQ(layout.position_ids_offset, 960u);  // each 448
  EXPECT_EQ(layout.loss_mask_offset, 1408u);
  EXPECT_EQ(layout.captured_offset, 1536u);  // 100 masks take 128
  EXPECT_EQ(layout.slot_bytes, 39936u);      // 1536 + 100 * 96 * 4
  EXPECT_EQ(layout.captured_width(), 96);
  EXPECT_EQ(make_batch_layout(100, 48, {1, 3}, DType::bf16).slot_bytes, 20736u);  // 1536 + 19200
  EXPECT_EQ(make_batch_layout(16, 1, {0}, DType::bf16).slot_bytes, 64u * 6);      // every field takes one line
}

TEST(BatchLayout, HashSeesEveryField) {
  const std::vector<std::function<void(BatchLayout&)>> changes{
      [](BatchLayout& l) { l.pack_tokens += 1; },          [](BatchLayout& l) { l.hidden_size += 1; },
      [](BatchLayout& l) { l.captured_layer_ids = {1}; },  [](BatchLayout& l) { l.captured_layer_ids = {3, 1}; },
      [](BatchLayout& l) { l.captured_layer_ids = {13}; }, [](BatchLayout& l) { l.captured_dtype = DType::bf16; },
      [](BatchLayout& l) { l.input_ids_offset += 64; },    [](BatchLayout& l) { l.document_ids_offset += 64; },
      [](BatchLayout& l) { l.position_ids_offset += 64; }, [](BatchLayout& l) { l.loss_mask_offset += 64; },
      [](BatchLayout& l) { l.captured_offset += 64; },     [](BatchLayout& l) { l.slot_bytes += 64; }};
  std::set<uint64_t> hashes{small_layout().hash()};
  EXPECT_EQ(hashes.count(small_layout().hash()), 1u);
  for (const auto& change : changes) {
    BatchLayout layout = small_layout();
    change(layout);
    hashes.insert(layout.hash());
  }
  EXPECT_EQ(hashes.size(), changes.size() + 1);
}

TEST(BatchLayout, SizesThatCannotBeAreRefused) {
  constexpr int64_t kHuge = std::numeric_limits<int64_t>::max();
  const auto refuse = [](int64_t tokens, int64_t hidden, std::vector<int64_t> ids, const char* complaint) {
    expect_error(ErrorKind::config, complaint, [&] { (void)make_batch_layout(tokens, hidden, ids, DType::f32); });
  };
  refuse(0, 48, {1}, "0 positions");
  refuse(-5, 48, {1}, "-5 positions");
  refuse(int64_t{1} << 31, 48, {1}, "2147483648 positions");
  refuse(100, 0, {1}, "width 0");
  refuse(100, 48, {}, "0 captured layers");
  refuse(100, kHuge, {1, 2}, "too large");
  refuse(100, kHuge / 50, {1}, "too large");
}

class Header : public testing::Test {
 protected:
  void SetUp() override { write_batch_header(slot_, layout_, 12, 90, {}); }

  void expect_refused(const std::string& complaint) {
    expect_error(ErrorKind::internal, complaint, [&] { (void)read_batch_header(slot_, layout_); });
  }

  BatchLayout layout_ = small_layout();
  std::vector<std::byte> slot_ = std::vector<std::byte>(layout_.slot_bytes);
};

TEST_F(Header, ComesBack) {
  const BatchHeader header = read_batch_header(slot_, layout_);
  EXPECT_EQ(header.sequence, 12);
  EXPECT_EQ(header.used_tokens, 90);
  EXPECT_EQ(header.layout_hash, layout_.hash());
  for (size_t i = layout_.input_ids_offset; i < slot_.size(); ++i) ASSERT_EQ(slot_[i], std::byte{0});
}

TEST_F(Header, EveryFlippedBitIsRefused) {
  for (size_t bit = 0; bit < sizeof(BatchHeader) * 8; ++bit) {
    const auto flip = [&] { slot_[bit / 8] ^= std::byte{1} << static_cast<int>(bit % 8); };
    flip();
    expect_refused(bit < 64 ? "magic" : "checksum");
    flip();
  }
  EXPECT_EQ(read_batch_header(slot_, layout_).sequence, 12);
}

TEST_F(Header, ZeroedOrForeignSlotsAreRefused) {
  std::fill(slot_.begin(), slot_.end(), std::byte{0});
  expect_refused("magic");
  std::fill(slot_.begin(), slot_.end(), std::byte{0xff});
  expect_refused("magic");
}

TEST_F(Header, AnotherLayoutIsRefused) {
  write_batch_header(slot_, make_batch_layout(100, 48, {1, 2}, DType::f32), 12, 90, {});
  expect_refused("the two ends have different settings");
}

TEST_F(Header, FieldsOutOfRangeAreRefused) {
  write_batch_header(slot_, layout_, -1, 90, {});
  expect_refused("sequence number -1");
  write_batch_header(slot_, layout_, 12, 101, {});
  expect_refused("101 used tokens of 100");
  write_batch_header(slot_, layout_, 12, -1, {});
  expect_refused("-1 used tokens");
}

TEST_F(Header, ShortSlotsAreRefused) {
  slot_.resize(layout_.slot_bytes - 1);
  expect_refused("slot of 39935 bytes");
  expect_error(ErrorKind::internal, "slot of 39935 bytes", [&] { write_batch_header(slot_, layout_, 0, 1, {}); });
}

}  // namespace
}  // namespace dflash
