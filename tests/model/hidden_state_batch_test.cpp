#include "common/tensor/hidden_state_batch.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cstring>

namespace dflash {
namespace {

constexpr int64_t kTokens = 6;

class CopyIds : public testing::Test {
 protected:
  /// A slot whose ids all hold `value`.
  HiddenStateBatch batch_of(int value) {
    HiddenStateBatch batch = view_slot(slot_, layout_);
    batch.sequence = value;
    batch.used_tokens = kTokens - 1;
    for (const at::Tensor& ids : {batch.input_ids, batch.document_ids, batch.position_ids, batch.loss_mask}) {
      ids.fill_(value);
    }
    return batch;
  }

  const BatchLayout layout_ = make_batch_layout(kTokens, 2, {1}, DType::f32, false);
  std::vector<std::byte> slot_ = std::vector<std::byte>(layout_.slot_bytes);
};

TEST_F(CopyIds, OutlivesTheSlotInStorageThatIsUsedAgain) {
  HiddenStateBatch kept;
  copy_ids(batch_of(3), kept);
  const std::vector<void*> storage{kept.input_ids.data_ptr(), kept.document_ids.data_ptr(),
                                   kept.position_ids.data_ptr(), kept.loss_mask.data_ptr()};
  std::memset(slot_.data(), 0xff, slot_.size());
  EXPECT_EQ(kept.sequence, 3);
  EXPECT_EQ(kept.used_tokens, kTokens - 1);
  for (const at::Tensor& ids : {kept.input_ids, kept.document_ids, kept.position_ids}) {
    EXPECT_TRUE(ids.equal(at::full({kTokens}, 3, at::kInt)));
  }
  EXPECT_TRUE(kept.loss_mask.equal(at::full({kTokens}, 3, at::kByte)));
  EXPECT_FALSE(kept.captured.defined());

  copy_ids(batch_of(4), kept);
  EXPECT_TRUE(kept.input_ids.equal(at::full({kTokens}, 4, at::kInt)));
  const std::vector<void*> after{kept.input_ids.data_ptr(), kept.document_ids.data_ptr(), kept.position_ids.data_ptr(),
                                 kept.loss_mask.data_ptr()};
  EXPECT_EQ(after, storage);
}

}  // namespace
}  // namespace dflash
