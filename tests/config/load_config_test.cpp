#include <gtest/gtest.h>

#include "tests/config/settings_file.h"

namespace dflash {
namespace {

TEST(LoadConfig, FillsDefaultsOfTheSchema) {
  const RunConfig config = SettingsFile(kRequired).load();
  EXPECT_EQ(config.drafter().mask_token_id(), 3);
  EXPECT_EQ(config.drafter().block_size(), 16);
  EXPECT_EQ(config.pipeline().hs_queue_depth(), 60);
  EXPECT_DOUBLE_EQ(config.train().lr(), 6e-4);
  EXPECT_EQ(config.target().dtype(), DtypeChoice::auto_);
  EXPECT_TRUE(config.train().has_lr()) << "a default must be explicit in the result";
  EXPECT_TRUE(config.log().has_metrics_every()) << "in sections that the file does not name, too";
}

TEST(LoadConfig, ReadsEveryType) {
  const RunConfig config = SettingsFile(std::string(kRequired) +
                                        "target_layer_ids = [0, 3, 7]\n"
                                        "[train]\nlr = 1e-3\nsteps = 5_000_000_000\n"
                                        "[log]\nmetrics_every = 0x10\n")
                               .load({"run.seed=9223372036854775807", "target.dtype=bfloat16"});
  ASSERT_EQ(config.drafter().target_layer_ids_size(), 3);
  EXPECT_EQ(config.drafter().target_layer_ids(2), 7);
  EXPECT_EQ(config.train().lr(), 1e-3);
  EXPECT_EQ(config.train().steps(), 5000000000);
  EXPECT_EQ(config.log().metrics_every(), 16);
  EXPECT_EQ(config.run().seed(), 9223372036854775807u);
  EXPECT_EQ(config.target().dtype(), DtypeChoice::bfloat16);
}

TEST(LoadConfig, OneWordOrAListOfThem) {
  using Choices = std::vector<int>;
  const auto types = [](const std::string& text) {
    const RunConfig config = SettingsFile(kRequired + text).load();
    return Choices(config.drafter().layer_types().begin(), config.drafter().layer_types().end());
  };
  EXPECT_EQ(types(""), Choices{});
  EXPECT_EQ(types("layer_types = 'sliding'"), Choices{DrafterSection::sliding});
  EXPECT_EQ(types("layer_types = ['sliding']"), Choices{DrafterSection::sliding});
  EXPECT_EQ(types("layer_types = ['sliding', 'full']\nnum_layers = 2"),
            (Choices{DrafterSection::sliding, DrafterSection::full}));
  const SettingsFile file(std::string(kRequired) + "layer_types = ['full', 'full']\nnum_layers = 2");
  EXPECT_EQ(file.load({"drafter.layer_types=sliding"}).drafter().layer_types_size(), 1);  // replaces the list
}

TEST(LoadConfig, Booleans) {
  EXPECT_FALSE(SettingsFile(kRequired).load().drafter().attention_bias());
  EXPECT_TRUE(SettingsFile(kRequired).load().drafter().has_attention_bias());
  EXPECT_TRUE(SettingsFile(kRequired).load({"drafter.attention_bias=true"}).drafter().attention_bias());
}

TEST(LoadConfig, AnIntegerIsANumber) {
  EXPECT_EQ(SettingsFile(std::string(kRequired) + "qk_norm_init = 2").load().drafter().qk_norm_init(), 2.0);
}

TEST(LoadConfig, RelativePathsCountFromTheFile) {
  const SettingsFile file(kRequired);
  const RunConfig config = file.load();
  EXPECT_EQ(config.run().dir(), (file.folder() / "out").string());
  EXPECT_EQ(config.target().model(), (file.folder() / "model").string());
  EXPECT_EQ(config.data().files(1), (file.folder() / "more/b.jsonl").string());
}

TEST(LoadConfig, AbsolutePathsStayAndDotsGo) {
  const RunConfig config = SettingsFile(kRequired).load({"run.dir=/x/y/../z"});
  EXPECT_EQ(config.run().dir(), "/x/z");
}

TEST(LoadConfig, APathMayEndInASlash) {
  EXPECT_EQ(SettingsFile(kRequired).load({"run.dir=/x/y/"}).run().dir(), "/x/y");
  EXPECT_EQ(SettingsFile(kRequired).load({"run.dir=/"}).run().dir(), "/");
}

TEST(LoadConfig, EqualSettingsHaveEqualHashes) {
  const SettingsFile file(kRequired);
  const uint64_t hash = config_hash(file.load());
  EXPECT_EQ(hash, config_hash(file.load({"train.lr=6e-4"})));  // the default, written out
  EXPECT_NE(hash, config_hash(file.load({"train.lr=6.1e-4"})));
  EXPECT_NE(hash, config_hash(file.load({"run.seed=1"})));
}

}  // namespace
}  // namespace dflash
