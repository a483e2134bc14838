// The table for a person, and TOML that reads back to the same settings.
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include "tests/config/settings_file.h"

namespace dflash {
namespace {

void expect_round_trip(const std::vector<std::string>& overrides) {
  const RunConfig config = SettingsFile(kRequired).load(overrides);
  const RunConfig again = SettingsFile(config_toml(config)).load();
  EXPECT_TRUE(google::protobuf::util::MessageDifferencer::Equals(config, again)) << config_toml(config);
  EXPECT_EQ(config_hash(config), config_hash(again));
}

TEST(ConfigToml, RoundTripsDefaults) {
  expect_round_trip({});
}

TEST(ConfigToml, RoundTripsEveryKind) {
  expect_round_trip({"train.steps=600", "train.lr=0.1", "train.weight_decay=1e-300", "train.max_grad_norm=1e22",
                     "train.warmup_ratio=0.30000000000000004", "run.seed=9223372036854775807", "target.dtype=bfloat16",
                     "drafter.target_layer_ids=[1, 2, 9]", "pipeline.queue_bytes=123456789012"});
}

TEST(ConfigToml, RoundTripsHostileStrings) {
  expect_round_trip({"run.dir=\"/a \\\"b\\\" \\\\ 'c' \\n\\t\\u0001 \\u007f \\u00fc # = ]\""});
}

TEST(ConfigTable, ShowsEveryKeyAndMarksChanges) {
  const std::string table = config_table(SettingsFile(kRequired).load({"train.lr=0.001"}));
  EXPECT_NE(table.find("* train.lr                     0.001\n"), std::string::npos) << table;
  EXPECT_NE(table.find("  train.epochs                 1\n"), std::string::npos) << table;
  EXPECT_NE(table.find("* drafter.mask_token_id        3\n"), std::string::npos) << table;
  EXPECT_NE(table.find("  target.dtype                 \"auto\"\n"), std::string::npos) << table;
  EXPECT_LT(table.find("run.dir"), table.find("target.model"));
}

TEST(ConfigTable, SaysThatEpochsDoNotCount) {
  const std::string table = config_table(SettingsFile(kRequired).load({"train.steps=5"}));
  EXPECT_NE(table.find("  train.epochs                 -\n"), std::string::npos) << table;
}

}  // namespace
}  // namespace dflash
