// Folders that mean harm, or were never drafters: results, or one Error; never a crash.
#include <gtest/gtest.h>

#include "common/hf/export_rules/drafter_summary.h"
#include "tests/hf/drafter_folder_maker.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

void look_at(const fs::path& path) {
  const RawDrafter drafter = read_raw_drafter(path);
  (void)summarize_drafter(drafter);
  EXPECT_FALSE(check_drafter(drafter).empty());
  (void)check_against_target(drafter, ModelConfig{});
}

TEST(HostileDrafter, NoConfigIsOneError) {
  const TempFolder folder;
  expect_error(ErrorKind::input_file, "config.json", [&] { look_at(folder.path()); });
  expect_error(ErrorKind::input_file, "config.json", [&] { look_at(folder.path() / "nowhere"); });
  for (const char* text : {"", "{", "[]", "7", "\"x\"", "null"}) {
    write_text(folder.path() / "config.json", text);
    expect_error(ErrorKind::input_file, "config.json", [&] { look_at(folder.path()); });
  }
}

TEST(HostileDrafter, AnEmptyConfigBreaksMostRules) {
  const TempFolder folder;
  for (const char* text : {"{}", R"({"speculators_model_type": 3})"}) {
    write_text(folder.path() / "config.json", text);
    const auto results = check_drafter(read_raw_drafter(folder.path()));
    EXPECT_GE(rules_in_state(results, RuleState::fail).size(), 8u);
  }
}

const std::vector<Json>& strange_values() {
  static const std::vector<Json> values{
      Json(),
      true,
      -1,
      2147483648,
      4611686018427387904,
      18446744073709551615u,
      1e300,
      -0.5,
      "\x1b[31m\n",
      Json::array(),
      Json::object(),
      Json::array({Json::array({Json()})}),
      Json::array({1, "a", Json()}),
      Json{{"rope_theta", Json::object()}, {"x", Json::array({1})}},
  };
  return values;
}

/// Puts every strange value in the place of every value of `json`, at any depth, and calls `look`.
void spoil_everywhere(Json& root, Json& json, const std::function<void(const Json&)>& look) {
  for (auto& item : json.items()) {
    Json& place = item.value();
    if (place.is_structured()) spoil_everywhere(root, place, look);
    const Json kept = place;
    for (const Json& strange : strange_values()) {
      place = strange;
      look(root);
    }
    place = kept;
  }
}

TEST(HostileDrafter, StrangeValuesInEveryPlace) {
  for (const char* name : {"zlab", "speculators_reduced"}) {
    const TempFolder temp;
    golden_export(name).write(temp.path());
    RawDrafter drafter = read_raw_drafter(temp.path());
    size_t looks = 0;
    Json config = drafter.config;
    spoil_everywhere(config, config, [&](const Json& spoiled) {
      drafter.config = spoiled;
      drafter.speculators = spoiled.contains("speculators_model_type");
      (void)summarize_drafter(drafter);
      for (const RuleResult& result : check_drafter(drafter)) {
        EXPECT_EQ(result.found.find_first_of("\x1b\n"), std::string::npos) << result.rule << ": " << result.found;
      }
      ++looks;
    });
    EXPECT_GT(looks, 300u) << name;
  }
}

/// 2^31 everywhere a size may stand: products stay within 64 bits (the sanitizers look).
TEST(HostileDrafter, TheLargestSizes) {
  DrafterParts parts = golden_export("zlab");
  for (const char* key : {"hidden_size", "intermediate_size", "num_attention_heads", "num_key_value_heads", "head_dim",
                          "vocab_size", "max_position_embeddings", "block_size", "sliding_window"}) {
    parts.config[key] = int64_t{1} << 31;
  }
  std::vector<int64_t> ids(10000);
  parts.config["dflash_config"]["target_layer_ids"] = ids;
  parts.config["num_hidden_layers"] = 500;
  const TempFolder folder;
  parts.write(folder.path());
  look_at(folder.path());
}

TEST(HostileDrafter, NamesOfTensorsAndFilesCannotReachTheTerminal) {
  DrafterParts parts = golden_export("zlab");
  parts.add("\x1b[2Jevil", {1});
  const auto results = check_parts(parts, [](const fs::path& folder) { write_text(folder / "\x1b[2J.bin", ""); });
  EXPECT_EQ(rules_in_state(results, RuleState::fail),
            (std::set<std::string>{"no unknown tensors", "no other weight files"}));
  for (const RuleResult& result : results) EXPECT_EQ(result.found.find('\x1b'), std::string::npos) << result.found;
}

}  // namespace
}  // namespace dflash
