#include "common/config/setting_changes.h"

#include <gtest/gtest.h>

#include "tests/config/settings_file.h"

namespace dflash {
namespace {

/// "train.lr: 0.0006 -> 0.001" for each change between two sets of overrides.
std::vector<std::string> changes(const std::vector<std::string>& before, const std::vector<std::string>& now) {
  const SettingsFile file(kRequired);
  std::vector<std::string> lines;
  for (const SettingChange& change : setting_changes(file.load(before), file.load(now))) {
    lines.push_back(change.key + ": " + change.before + " -> " + change.now);
  }
  return lines;
}

TEST(SettingChanges, NoneBetweenEqualSettings) {
  EXPECT_TRUE(changes({"train.lr=0.001"}, {"train.lr=1e-3"}).empty());
}

TEST(SettingChanges, AreListedInTheSchemasOrder) {
  EXPECT_EQ(changes({"run.seed=4"}, {"train.lr=0.001", "target.dtype=bfloat16", "drafter.target_layer_ids=[1, 2]"}),
            (std::vector<std::string>{"run.seed: 4 -> 0", "target.dtype: \"auto\" -> \"bfloat16\"",
                                      "drafter.target_layer_ids: [] -> [1, 2]", "train.lr: 0.0006 -> 0.001"}));
}

TEST(SettingChanges, LeaveOutWhatMayChange) {
  EXPECT_TRUE(changes({}, {"run.dir=elsewhere", "run.stall_timeout_s=5", "target.threads=3", "drafter.threads=2",
                           "data.files=[\"moved.jsonl\"]", "pipeline.hs_queue_depth=4", "pipeline.queue_bytes=9",
                           "checkpoint.every_steps=7", "log.metrics_every=2"})
                  .empty());
}

TEST(SettingChanges, ShowEpochsOnlyWhereTheyCount) {
  EXPECT_TRUE(changes({"train.steps=5"}, {"train.steps=5"}).empty());
  EXPECT_EQ(changes({"train.epochs=3"}, {"train.steps=5"}),
            (std::vector<std::string>{"train.steps: 0 -> 5", "train.epochs: 3 -> -"}));
}

}  // namespace
}  // namespace dflash
