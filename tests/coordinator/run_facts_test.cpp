#include "coordinator/run_facts.h"

#include <gtest/gtest.h>

#include "common/config/run_config.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

RunFacts example_facts() {
  RunFacts facts;
  facts.plan.targets = 2;
  facts.plan.target_threads = 3;
  facts.plan.drafter_threads = 4;
  facts.plan.queue_depth = 60;
  facts.plan.layout.captured_layer_ids = {1, 5, 9};
  facts.ledger = {.rows = 110,
                  .kept = 100,
                  .cut = 7,
                  .dropped = 9,
                  .bad = 1,
                  .tokens = 51200,
                  .supervised_tokens = 30000,
                  .bad_examples = {"a.jsonl:7: unequal lengths"}};
  facts.first_epoch_batches = 51;
  facts.padding_share = 0.0019;
  facts.count = {.steps = 12, .batches = 48, .left_out = 3};
  facts.hashes = {.config = 0xc0, .layout = 0x1a, .data = 0xda};
  return facts;
}

TEST(RunFacts, WhatRunJsonSays) {
  const Json json = run_facts_json(example_facts(), 1738367999);
  EXPECT_EQ(json["start_time"], "2025-01-31T23:59:59Z");
  EXPECT_EQ(json["build_hash"].get<std::string>().size(), 16u);
  EXPECT_EQ(json["config_hash"], "00000000000000c0");
  EXPECT_EQ(json["layout_hash"], "000000000000001a");
  EXPECT_EQ(json["data_hash"], "00000000000000da");
  EXPECT_EQ(json["targets"], 2);
  EXPECT_EQ(json["drafters"], 1);
  EXPECT_EQ(json["target_threads"], 3);
  EXPECT_EQ(json["drafter_threads"], 4);
  EXPECT_EQ(json["queue_depth"], 60);
  EXPECT_EQ(json["captured_layer_ids"], Json::parse("[1, 5, 9]"));
  EXPECT_EQ(json["total_steps"], 12);
  EXPECT_EQ(json["total_batches"], 48);
  EXPECT_EQ(json["batches_left_out"], 3);
  EXPECT_EQ(json["data"]["supervised_tokens"], 30000);
  EXPECT_FALSE(json["version"].get<std::string>().empty());
}

TEST(RunFacts, WhatAPersonReads) {
  EXPECT_EQ(describe_data(example_facts()),
            "data      110 rows: 100 kept (7 of them cut), 9 left out, 1 bad\n"
            "          bad row a.jsonl:7: unequal lengths\n"
            "          51200 tokens, 30000 of them supervised; 51 batches per epoch, 0.19 % padding\n"
            "run       12 steps, 48 batches; 3 batches left out: they do not fill a last step");
}

/// Four documents of 6 tokens: two packs of 12 in every epoch, whatever the order.
class GatherRunFacts : public testing::Test {
 protected:
  GatherRunFacts() {
    const std::string row = R"({"input_ids": [1, 2, 3, 4, 5, 6], "loss_mask": [0, 0, 1, 1, 1, 1]})";
    write_text(temp_.path() / "a.jsonl", row + "\n" + row + "\n");
    write_text(temp_.path() / "b.jsonl", row + "\n" + row + "\n");
    for (const char* name : {"a.jsonl", "b.jsonl"}) config_.mutable_data()->add_files(temp_.path() / name);
    plan_.target.vocab_size = 10;
    plan_.layout = make_batch_layout(12, 8, {1}, DType::f32);
  }

  TempFolder temp_;
  RunConfig config_;
  RunPlan plan_;
};

TEST_F(GatherRunFacts, CountsTheBatchesOfAllEpochs) {
  config_.mutable_train()->set_epochs(4);
  config_.mutable_train()->set_accumulation_steps(3);
  const RunFacts facts = gather_run_facts(config_, plan_);
  EXPECT_EQ(facts.ledger.kept, 4);
  EXPECT_EQ(facts.first_epoch_batches, 2);
  EXPECT_EQ(facts.padding_share, 0);
  EXPECT_EQ(facts.count.steps, 2);  // 8 batches, 3 to a step
  EXPECT_EQ(facts.count.batches, 6);
  EXPECT_EQ(facts.count.left_out, 2);
  EXPECT_EQ(facts.hashes.layout, plan_.layout.hash());
  EXPECT_EQ(facts.hashes.config, config_hash(config_));
}

TEST_F(GatherRunFacts, StepsGivenByHandWin) {
  config_.mutable_train()->set_epochs(4);
  config_.mutable_train()->set_steps(9);
  const RunFacts facts = gather_run_facts(config_, plan_);
  EXPECT_EQ(facts.count.steps, 9);
  EXPECT_EQ(facts.count.batches, 9);
  EXPECT_EQ(facts.count.left_out, 0);
}

TEST_F(GatherRunFacts, TheDataHashIsThatOfTheDocuments) {
  const uint64_t before = gather_run_facts(config_, plan_).hashes.data;
  EXPECT_EQ(gather_run_facts(config_, plan_).hashes.data, before);
  write_text(temp_.path() / "b.jsonl", R"({"input_ids": [1, 2, 3, 4, 5, 7], "loss_mask": [0, 0, 1, 1, 1, 1]})");
  EXPECT_NE(gather_run_facts(config_, plan_).hashes.data, before);
}

}  // namespace
}  // namespace dflash
