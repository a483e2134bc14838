#include "common/plan/run_plan.h"

#include <gtest/gtest.h>

#include "tests/plan/plan_inputs.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

RunPlan plan_of(const RunConfig& config, int targets = 1, int drafters = 1) {
  return make_run_plan(config, small_target(), targets, drafters, kMachine);
}

TEST(RunPlan, LayoutFollowsSettingsAndTarget) {
  const RunPlan plan = plan_of(small_config());
  EXPECT_EQ(plan.layout.pack_tokens, 128);
  EXPECT_EQ(plan.layout.hidden_size, 64);
  EXPECT_EQ(plan.layout.captured_layer_ids, plan.drafter.target_layer_ids);
  EXPECT_EQ(plan.layout.captured_width(), 2 * 64);
  EXPECT_EQ(plan.layout.hash(), make_batch_layout(128, 64, {1, 5}, DType::bf16).hash());
  EXPECT_GE(plan.layout.slot_bytes, 128u * (2 * 64 * 2 + 3 * 4 + 1));
}

TEST(RunPlan, ComputeDtype) {
  RunConfig config = small_config();
  EXPECT_EQ(plan_of(config).compute_dtype, DType::bf16);  // auto: as stored
  config.mutable_target()->set_dtype(DtypeChoice::float32);
  EXPECT_EQ(plan_of(config).compute_dtype, DType::f32);
  EXPECT_EQ(plan_of(config).layout.captured_dtype, DType::f32);
}

TEST(RunPlan, AFloat16TargetComputesInBfloat16) {
  ModelConfig target = small_target();
  target.dtype = DType::f16;
  RunConfig config = small_config();
  const auto plan = [&] { return make_run_plan(config, target, 1, 1, kMachine); };
  EXPECT_EQ(plan().compute_dtype, DType::bf16);
  EXPECT_EQ(plan().layout.captured_dtype, DType::bf16);
  config.mutable_target()->set_dtype(DtypeChoice::float32);
  EXPECT_EQ(plan().compute_dtype, DType::f32);
}

TEST(RunPlan, DecayGamma) {
  RunConfig config = small_config();
  const std::vector<std::pair<int, double>> expected = {{16, 7},  {10, 5},   {8, 4},  {7, 4},
                                                        {4, 1.8}, {12, 5.3}, {32, 14}};
  for (const auto& [block_size, gamma] : expected) {
    config.mutable_drafter()->set_block_size(block_size);
    EXPECT_DOUBLE_EQ(plan_of(config).decay_gamma, gamma) << "block_size " << block_size;
  }
  config.mutable_train()->set_decay_gamma(2.5);
  EXPECT_DOUBLE_EQ(plan_of(config).decay_gamma, 2.5);
}

TEST(RunPlan, ThreadsShareTheCores) {
  RunConfig config = small_config();
  EXPECT_EQ(plan_of(config, 1).target_threads, 4);
  EXPECT_EQ(plan_of(config, 2).target_threads, 2);
  EXPECT_EQ(plan_of(config, 2).drafter_threads, 2);
  EXPECT_EQ(plan_of(config, 20).drafter_threads, 1);
  config.mutable_drafter()->set_threads(9);
  EXPECT_EQ(plan_of(config, 20).drafter_threads, 9);
  EXPECT_EQ(plan_of(config, 20).target_threads, 1);
}

TEST(RunPlan, FixedSettingsGiveTheSamePlanOnAnotherMachine) {
  RunConfig config = small_config();
  const RunPlan here = plan_of(config, 3);
  fix_machine_settings(config, here);
  const RunPlan there = make_run_plan(config, small_target(), 3, 1, {.cores = 64, .memory_bytes = int64_t{1} << 40});
  EXPECT_EQ(there.target_threads, here.target_threads);
  EXPECT_EQ(there.drafter_threads, here.drafter_threads);
  EXPECT_EQ(there.queue_depth, here.queue_depth);
  EXPECT_EQ(there.slots_per_link, here.slots_per_link);
  EXPECT_EQ(there.layout.hash(), here.layout.hash());
}

TEST(RunPlan, APackMustFitTheTargetsPositions) {
  RunConfig config = small_config();
  config.mutable_data()->set_pack_tokens(2048);
  EXPECT_EQ(plan_of(config).layout.pack_tokens, 2048);
  config.mutable_data()->set_pack_tokens(2049);
  expect_error(ErrorKind::config, "data.pack_tokens = 2049 is more than the target's max_position_embeddings = 2048",
               [&] { (void)plan_of(config); });
}

TEST(RunPlan, QueueInForce) {
  RunConfig config = small_config();
  config.mutable_pipeline()->set_hs_queue_depth(5);
  const RunPlan plan = plan_of(config, 2);
  EXPECT_EQ(plan.queue_depth, 5);
  EXPECT_EQ(plan.queue_depth_reason, "pipeline.hs_queue_depth");
  EXPECT_EQ(plan.slots_per_link, 3);
}

TEST(RunPlan, TheBoundIsOfAllDraftersTogether) {
  RunConfig config = small_config();
  config.mutable_pipeline()->set_hs_queue_depth(20);
  EXPECT_EQ(plan_of(config, 3, 2).queue_depth, 20);
  EXPECT_EQ(plan_of(config, 3, 2).slots_per_link, 4);  // 20 / 6 upwards
  EXPECT_EQ(plan_of(config, 4, 4).slots_per_link, 2);  // 20 / 16 upwards
  EXPECT_EQ(plan_of(config, 3, 2).drafters, 2);
}

TEST(RunPlan, DraftersShareTheCoresToo) {
  const RunConfig config = small_config();
  EXPECT_EQ(plan_of(config, 1, 3).target_threads, 2);
  EXPECT_EQ(plan_of(config, 1, 3).drafter_threads, 2);
  EXPECT_EQ(plan_of(config, 2, 4).drafter_threads, 1);
}

TEST(RunPlan, ARecordedFolderStandsForOneTarget) {
  RunConfig config = small_config();
  expect_error(ErrorKind::config, "at least 1 target_worker", [&] { (void)plan_of(config, 0, 2); });
  config.mutable_data()->set_recorded("/recorded");
  config.mutable_pipeline()->set_split_fc_layers(true);
  const RunPlan plan = plan_of(config, 0, 2);
  EXPECT_EQ(plan.links(), 2);
  EXPECT_EQ(plan.slots_per_link, 30);
  EXPECT_FALSE(plan.layout.split_layers) << "recorded batches are packed";
  expect_error(ErrorKind::config, "data.recorded = /recorded: the batches come from there, so start no targets",
               [&] { (void)plan_of(config, 1, 2); });
}

TEST(RunPlan, TellsAPersonWhatWasChosen) {
  const std::string text = describe_run_plan(plan_of(small_config(), 2));
  for (const char* part :
       {"2 target(s) of 2 thread(s), 1 drafter(s) of 2", "qwen3: 8 layers, hidden 64", "computes in BF16",
        "2 layers, MLP 160, 8 heads, 2 key/value heads of 16; F32", "16 tokens, mask token 511, decay gamma 7",
        "layer(s) 1, 5\n", "128 positions", "60 batches in flight (from pipeline.hs_queue_depth)"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
  EXPECT_EQ(text.find("windows"), std::string::npos) << text;
}

TEST(RunPlan, TellsWhichLayersSlide) {
  RunConfig config = small_config();
  config.mutable_drafter()->set_num_layers(3);
  config.mutable_drafter()->set_sliding_window(64);
  for (const auto type : {DrafterSection::sliding, DrafterSection::full, DrafterSection::sliding}) {
    config.mutable_drafter()->add_layer_types(type);
  }
  const std::string text = describe_run_plan(plan_of(config));
  EXPECT_NE(text.find("windows  drafter layer(s) 0, 2 see 64 positions\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace dflash
