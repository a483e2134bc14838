// The table for a person, and TOML that reads back to the same settings.
#include <google/protobuf/util/message_differencer.h>
#include <gtest/gtest.h>

#include "tests/config/settings_file.h"
#include "tests/support/errors.h"

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
                     "drafter.target_layer_ids=[1, 2, 9]", "pipeline.queue_bytes=123456789012",
                     "drafter.attention_bias=true"});
}

TEST(ConfigToml, RoundTripsLayerTypes) {
  for (const char* types : {"full", "sliding", "[]", "[\"sliding\"]", "[\"full\"]"}) {
    expect_round_trip({std::string("drafter.layer_types=") + types});
  }
  expect_round_trip(
      {"drafter.layer_types=[\"full\", \"sliding\", \"full\"]", "drafter.num_layers=3", "drafter.sliding_window=64"});
}

TEST(ConfigToml, RoundTripsHostileStrings) {
  expect_round_trip({"run.dir=\"/a \\\"b\\\" \\\\ 'c' \\n\\t\\u0001 \\u007f \\u00fc # = ]\""});
}

/// It could be written, and would be refused when the run is resumed.
TEST(ConfigToml, RefusesWhatIsNoUtf8) {
  const RunConfig config = SettingsFile(kRequired).load({"run.dir=runs/r\xff"});
  expect_error(ErrorKind::config, "is not UTF-8", [&] { (void)config_toml(config); });
}

TEST(ConfigTable, ShowsEveryKeyAndMarksChanges) {
  const std::string table = config_table(SettingsFile(kRequired).load({"train.lr=0.001"}));
  EXPECT_NE(table.find("* train.lr                     0.001\n"), std::string::npos) << table;
  EXPECT_NE(table.find("  train.epochs                 1\n"), std::string::npos) << table;
  EXPECT_NE(table.find("* drafter.mask_token_id        3\n"), std::string::npos) << table;
  EXPECT_NE(table.find("  target.dtype                 \"auto\"\n"), std::string::npos) << table;
  EXPECT_LT(table.find("run.dir"), table.find("target.model"));
}

TEST(ConfigTable, AWindowCountsOnlyWhereALayerSlides) {
  const std::string full = config_table(SettingsFile(kRequired).load({"drafter.layer_types=full"}));
  EXPECT_NE(full.find("* drafter.layer_types          [\"full\"]\n"), std::string::npos) << full;
  EXPECT_NE(full.find("  drafter.sliding_window       -\n"), std::string::npos) << full;
  EXPECT_NE(full.find("  drafter.attention_bias       false\n"), std::string::npos) << full;
  const std::string sliding = config_table(SettingsFile(kRequired).load({"drafter.layer_types=sliding"}));
  EXPECT_NE(sliding.find("  drafter.sliding_window       2048\n"), std::string::npos) << sliding;
}

TEST(ConfigTable, SaysThatEpochsDoNotCount) {
  const std::string table = config_table(SettingsFile(kRequired).load({"train.steps=5"}));
  EXPECT_NE(table.find("  train.epochs                 -\n"), std::string::npos) << table;
}

}  // namespace
}  // namespace dflash
