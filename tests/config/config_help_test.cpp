// --help-config against the schema's own text.
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "common/base/file.h"
#include "common/config/run_config.h"
#include "common/config/schema.h"
#include "tests/support/paths.h"

namespace dflash {
namespace {

TEST(ConfigHelp, ShowsTypeDefaultRangeAndComment) {
  const std::string help = config_help();
  EXPECT_NE(help.find("  lr  (number, default 0.0006, above 0)\n      Highest learning rate of AdamW.\n"),
            std::string::npos);
  EXPECT_NE(help.find("  model  (string, required)\n"), std::string::npos);
  EXPECT_NE(help.find("  dtype  (auto | float32 | bfloat16, default \"auto\")\n"), std::string::npos);
  EXPECT_NE(help.find("  stall_timeout_s  (number, default 300, above 0, at most 86400, free on resume)\n"),
            std::string::npos);
  EXPECT_NE(help.find("  dir  (string, required, free on resume)\n"), std::string::npos);
  EXPECT_NE(help.find("  attention_bias  (true | false, default false)\n"), std::string::npos);
  EXPECT_NE(help.find("  layer_types  (full | sliding, or a list of them, default [])\n"), std::string::npos);
  EXPECT_NE(help.find("  target_layer_ids  (array of integers, default [])\n"), std::string::npos);
}

TEST(ConfigHelp, HasEveryKeyOfTheSchemaWithAComment) {
  // Read as text, apart from protoc: every field of a ...Section message.
  const MappedFile proto(test::source_dir() / "proto/run_config.proto");
  const std::string text(proto.text());
  const std::string sections = text.substr(text.find("message RunSection"));
  const std::regex field(R"(\n  (?:optional|repeated) \w+ (\w+) = \d+)");
  const std::string help = config_help();
  size_t count = 0;
  for (auto match = std::sregex_iterator(sections.begin(), sections.end(), field); match != std::sregex_iterator();
       ++match) {
    EXPECT_NE(help.find("\n  " + (*match)[1].str() + "  ("), std::string::npos) << (*match)[1];
    ++count;
  }
  EXPECT_EQ(count, setting_keys().size());
  for (const SettingKey& key : setting_keys()) EXPECT_GE(key_comment(key).size(), 10u) << key.name();
}

TEST(ConfigHelp, JoinsCommentLines) {
  for (const SettingKey& key : setting_keys()) {
    if (key.name() != "pipeline.queue_bytes") continue;
    EXPECT_EQ(
        key_comment(key),
        "Most bytes of hidden states waiting in shared memory; the depth in force is the least that both allow. 0: a "
        "tenth of the machine's memory for each drafter, at most half of it.");
  }
}

TEST(ConfigHelp, FitsAHundredColumns) {
  std::istringstream lines(config_help());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

}  // namespace
}  // namespace dflash
