#include "common/plan/drafter_plan.h"

#include <gtest/gtest.h>

#include "tests/plan/plan_inputs.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

using Ids = std::vector<int64_t>;
using Types = std::vector<LayerType>;
constexpr auto kFull = LayerType::full_attention;
constexpr auto kSliding = LayerType::sliding_attention;

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
  EXPECT_EQ(drafter.rope, small_target().rope);
  EXPECT_EQ(drafter.layer_types, (Types{kFull, kFull}));
  EXPECT_EQ(drafter.sliding_window, 0);
  EXPECT_EQ(drafter.is_causal, std::nullopt);
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

TEST(DrafterPlan, OneWordStandsForEveryLayer) {
  DrafterSection drafter = settings();
  drafter.add_layer_types(DrafterSection::sliding);
  EXPECT_EQ(plan_drafter(drafter, small_target()).layer_types, (Types{kSliding, kSliding}));
  EXPECT_EQ(plan_drafter(drafter, small_target()).sliding_window, 2048);  // the schema's default
  drafter.set_sliding_window(64);
  EXPECT_EQ(plan_drafter(drafter, small_target()).sliding_window, 64);
  drafter.set_layer_types(0, DrafterSection::full);
  EXPECT_EQ(plan_drafter(drafter, small_target()).layer_types, (Types{kFull, kFull}));
  EXPECT_EQ(plan_drafter(drafter, small_target()).sliding_window, 0);
}

TEST(DrafterPlan, AListIsInTheOrderOfTheLayers) {
  DrafterSection drafter = settings();
  drafter.set_num_layers(3);
  for (const auto type : {DrafterSection::sliding, DrafterSection::full, DrafterSection::sliding}) {
    drafter.add_layer_types(type);
  }
  EXPECT_EQ(plan_drafter(drafter, small_target()).layer_types, (Types{kSliding, kFull, kSliding}));
}

/// golden/export, "The rule inside the block".
TEST(DrafterPlan, ItsConfigSaysTheRuleInsideTheBlock) {
  DrafterSection drafter = settings();
  const auto written = [&] { return drafter_config_json(plan_drafter(drafter, small_target())); };
  EXPECT_EQ(written()["is_causal"], false);
  EXPECT_EQ(written()["use_sliding_window"], false);
  drafter.add_layer_types(DrafterSection::sliding);
  EXPECT_EQ(written()["is_causal"], true);
  EXPECT_EQ(written()["use_sliding_window"], true);
  drafter.add_layer_types(DrafterSection::full);
  EXPECT_FALSE(written().contains("is_causal"));
  EXPECT_FALSE(written()["dflash_config"].contains("causal"));
}

TEST(DrafterPlan, TheTargetsWindowsAndBiasesAreNotTheDrafters) {
  ModelConfig target = small_target();
  target.layer_types.assign(8, kSliding);
  target.sliding_window = 32;
  target.qkv_bias = target.o_bias = true;
  const DrafterConfig plain = plan_drafter(settings(), target);
  EXPECT_EQ(plain.layer_types, (Types{kFull, kFull}));
  EXPECT_FALSE(plain.attention_bias);
  DrafterSection drafter = settings();
  drafter.set_attention_bias(true);
  EXPECT_TRUE(plan_drafter(drafter, small_target()).attention_bias);
}

TEST(DrafterPlan, RopeIsTheTargets) {
  ModelConfig target = small_target();
  target.rope.type = RopeType::yarn;
  target.rope.factor = 4;
  target.rope.original_max_position_embeddings = 512;
  target.rope.attention_factor = 1.25;
  EXPECT_EQ(plan_drafter(settings(), target).rope, target.rope);
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
