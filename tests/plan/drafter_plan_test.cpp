#include "common/plan/drafter_plan.h"

#include <gtest/gtest.h>

#include "tests/plan/plan_inputs.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

using Ids = std::vector<int64_t>;

DrafterSection settings() {
  return small_config().drafter();
}

void expect_refused(const DrafterSection& drafter, const ModelConfig& target, const std::string& message) {
  expect_error(ErrorKind::config, message, [&] { (void)plan_drafter(drafter, target); });
}

TEST(DrafterPlan, ZeroIsTheTargets) {
  const DrafterConfig drafter = plan_drafter(settings(), small_target());
  EXPECT_EQ(drafter.target_layer_ids, (Ids{1, 5}));
  EXPECT_EQ(drafter.num_target_layers, 8);
  EXPECT_EQ(drafter.vocab_size, 512);
  EXPECT_EQ(drafter.hidden_size, 64);
  EXPECT_EQ(drafter.intermediate_size, 160);
  EXPECT_EQ(drafter.num_hidden_layers, 2);
  EXPECT_EQ(drafter.num_attention_heads, 8);
  EXPECT_EQ(drafter.num_key_value_heads, 2);
  EXPECT_EQ(drafter.head_dim, 16);
  EXPECT_EQ(drafter.max_position_embeddings, 2048);
  EXPECT_EQ(drafter.rms_norm_eps, 1e-6);
  EXPECT_EQ(drafter.rope_theta, 1e6);
  EXPECT_FALSE(drafter.attention_bias);
  EXPECT_EQ(drafter.dtype, DType::f32);
  EXPECT_EQ(drafter.bos_token_id, 1);
  EXPECT_EQ(drafter.eos_token_ids, (Ids{2, 5}));
  EXPECT_EQ(drafter.pad_token_id, 0);
}

TEST(DrafterPlan, GivenSizesWin) {
  DrafterSection drafter = settings();
  drafter.set_intermediate_size(96);
  drafter.set_num_attention_heads(6);
  drafter.set_num_key_value_heads(3);
  drafter.set_head_dim(8);
  const DrafterConfig plan = plan_drafter(drafter, small_target());
  EXPECT_EQ(plan.intermediate_size, 96);
  EXPECT_EQ(plan.num_attention_heads, 6);
  EXPECT_EQ(plan.num_key_value_heads, 3);
  EXPECT_EQ(plan.head_dim, 8);
}

TEST(DrafterPlan, CapturedLayersByNumber) {
  DrafterSection drafter = settings();
  for (const int id : {0, 3, 6}) drafter.add_target_layer_ids(id);
  EXPECT_EQ(plan_drafter(drafter, small_target()).target_layer_ids, (Ids{0, 3, 6}));
  drafter.add_target_layer_ids(7);
  expect_refused(drafter, small_target(), "holds 7, the target's last layer");
  drafter.set_target_layer_ids(3, 8);
  expect_refused(drafter, small_target(), "holds 8, but the target has 8 layers; use 0 to 6");
}

TEST(DrafterPlan, CapturedLayersByCount) {
  DrafterSection drafter = settings();
  drafter.set_num_captured_layers(3);  // 1 + i * 4 / 2
  EXPECT_EQ(plan_drafter(drafter, small_target()).target_layer_ids, (Ids{1, 3, 5}));
  drafter.set_num_captured_layers(5);  // 1 + i * 4 / 4
  EXPECT_EQ(plan_drafter(drafter, small_target()).target_layer_ids, (Ids{1, 2, 3, 4, 5}));
}

TEST(DrafterPlan, ATooSmallTargetNamesTheLargestNumber) {
  DrafterSection drafter = settings();
  drafter.set_num_captured_layers(6);  // from layer 1 to 5 there are only five
  expect_refused(drafter, small_target(), "the largest number that works is 5: set drafter.num_captured_layers = 5");
  drafter.set_num_captured_layers(0);
  drafter.set_num_layers(7);
  expect_refused(drafter, small_target(), "drafter.num_layers = 7 asks for 7 captured layers");
}

TEST(DrafterPlan, MaskToken) {
  DrafterSection drafter = settings();
  drafter.set_mask_token_id(512);
  expect_refused(drafter, small_target(), "outside of the target's vocabulary of 512 tokens; use 0 to 511");
  drafter.set_mask_token_id(5);
  expect_refused(drafter, small_target(), "is an end-of-text token of the target");
}

TEST(DrafterPlan, Heads) {
  DrafterSection drafter = settings();
  drafter.set_num_attention_heads(7);  // beside the target's two key/value heads
  expect_refused(drafter, small_target(),
                 "drafter.num_attention_heads = 7 cannot share drafter.num_key_value_heads = 2");
  ModelConfig target = small_target();
  target.head_dim = 15;
  expect_refused(settings(), target, "drafter.head_dim = 15 is odd");
}

}  // namespace
}  // namespace dflash
