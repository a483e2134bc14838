// Windows and the rule inside the block: golden/export, "The rule inside the block"; dflash-semantics-2, 1.1 and 6.
#include <gtest/gtest.h>

#include "common/hf/drafter_config.h"
#include "tests/support/errors.h"
#include "tests/support/paths.h"

namespace dflash {
namespace {

constexpr auto kFull = LayerType::full_attention;
constexpr auto kSliding = LayerType::sliding_attention;
using Types = std::vector<LayerType>;

Json golden(const std::string& name) {
  return read_json_file(test::source_dir() / "tests/golden/drafter" / name / "config.json");
}

DrafterConfig parse(const Json& json) {
  return parse_drafter_config(json, "config.json");
}

void expect_refused(const Json& json, const std::string& complaint) {
  expect_error(ErrorKind::input_file, complaint, [&] { (void)parse(json); });
}

/// Null leaves the key out.
Json with_rules(const std::string& name, const Json& top, const Json& nested) {
  Json json = golden(name);
  json["is_causal"] = top;
  json["dflash_config"]["causal"] = nested;
  if (top.is_null()) json.erase("is_causal");
  if (nested.is_null()) json["dflash_config"].erase("causal");
  return json;
}

constexpr const char* kAllFull = "12_decode";          // blocks of 8
constexpr const char* kMixed = "03_mixed_sliding";     // blocks of 8, a window of 8
constexpr const char* kAllSliding = "04_all_sliding";  // blocks of 4, a window of 8

/// causal, both ways (false), or by kind of layer (nullopt).
using Rule = std::optional<bool>;

TEST(DrafterBlockRule, OfTheGoldenCases) {
  const DrafterConfig mixed = parse(golden(kMixed));
  EXPECT_EQ(mixed.layer_types, (Types{kSliding, kFull, kSliding}));
  EXPECT_EQ(mixed.sliding_window, 8);
  EXPECT_TRUE(is_causal_in_block(mixed, kSliding));
  EXPECT_FALSE(is_causal_in_block(mixed, kFull));
  const DrafterConfig sliding = parse(golden(kAllSliding));
  EXPECT_EQ(sliding.layer_types, (Types{kSliding, kSliding}));
  EXPECT_TRUE(is_causal_in_block(sliding, kSliding));
  const DrafterConfig full = parse(golden(kAllFull));
  EXPECT_EQ(full.layer_types, (Types{kFull, kFull}));
  EXPECT_EQ(full.sliding_window, 0);
  EXPECT_FALSE(is_causal_in_block(full, kFull));
}

struct Reading {
  const char* name;
  Json top, nested;
  Rule expected;
};

TEST(DrafterBlockRule, TheTopLevelThenTheNestedKeyThenTheKindOfLayer) {
  const std::vector<Reading> readings{
      {kAllFull, {}, {}, std::nullopt}, {kAllFull, false, {}, false},   {kAllFull, true, {}, true},
      {kAllFull, {}, false, false},     {kAllFull, {}, true, true},     {kAllFull, true, true, true},
      {kMixed, {}, {}, std::nullopt},   {kMixed, false, false, false},  {kMixed, true, true, true},
      {kMixed, {}, true, true},         {kMixed, {}, false, false},     {kAllSliding, {}, {}, std::nullopt},
      {kAllSliding, true, true, true},  {kAllSliding, false, {}, false}};
  for (const Reading& row : readings) {
    EXPECT_EQ(parse(with_rules(row.name, row.top, row.nested)).is_causal, row.expected)
        << row.name << " " << row.top << " " << row.nested;
  }
}

TEST(DrafterBlockRule, ByKindSlidingIsCausalAndFullSeesBothWays) {
  const DrafterConfig by_kind = parse(with_rules(kMixed, {}, {}));
  EXPECT_TRUE(is_causal_in_block(by_kind, kSliding));
  EXPECT_FALSE(is_causal_in_block(by_kind, kFull));
  for (const bool causal : {false, true}) {
    const DrafterConfig one_rule = parse(with_rules(kMixed, causal, causal));
    EXPECT_EQ(is_causal_in_block(one_rule, kSliding), causal);
    EXPECT_EQ(is_causal_in_block(one_rule, kFull), causal);
  }
}

/// NeMo's JetSpec: false at the top, inherited; true inside, as trained.
TEST(DrafterBlockRule, AJetSpecContradictionIsCausalWhereAllLayersAreFull) {
  const DrafterConfig config = parse(with_rules(kAllFull, false, true));
  EXPECT_TRUE(is_causal_in_block(config, kFull));
  EXPECT_EQ(drafter_config_json(config)["is_causal"], true);  // the copy says it in both places
  EXPECT_EQ(drafter_config_json(config)["dflash_config"]["causal"], true);
}

TEST(DrafterBlockRule, OtherContradictionsAreRefused) {
  expect_refused(with_rules(kMixed, false, true), "'causal' is true, but is_causal at the top level is false");
  expect_refused(with_rules(kAllSliding, false, true), "'causal' is true, but is_causal at the top level is false");
  for (const char* name : {kAllFull, kMixed, kAllSliding}) {
    expect_refused(with_rules(name, true, false), "'causal' is false, but is_causal at the top level is true");
  }
  expect_refused(with_rules(kAllFull, 0, {}), "config.json: 'is_causal' is 0: expected true or false");
  expect_refused(with_rules(kAllFull, {}, "false"), "dflash_config: 'causal' is \"false\"");
}

/// The five rows of the table in golden/export: what is written, null for a key that is absent.
TEST(DrafterBlockRule, IsWrittenAsEveryReaderUnderstandsIt) {
  const std::vector<Reading> rows{
      {kAllFull, {}, {}, false},      {kAllFull, false, false, false}, {kAllSliding, {}, {}, true},
      {kMixed, {}, {}, std::nullopt}, {kMixed, false, false, false},   {kAllSliding, false, false, false},
      {kAllFull, true, true, true},   {kMixed, true, true, true},      {kAllSliding, true, true, true}};
  for (const Reading& row : rows) {
    SCOPED_TRACE(std::string(row.name) + " " + row.top.dump());
    const Json written = drafter_config_json(parse(with_rules(row.name, row.top, row.nested)));
    EXPECT_EQ(written.contains("is_causal"), row.expected.has_value());
    EXPECT_EQ(written["dflash_config"].contains("causal"), row.expected.has_value());
    if (!row.expected) continue;
    EXPECT_EQ(written["is_causal"], *row.expected);
    EXPECT_EQ(written["dflash_config"]["causal"], *row.expected);
  }
}

TEST(DrafterWindows, LayersSlideEvenWithoutTheFlag) {
  Json json = golden(kMixed);
  for (const Json& flag : {Json(false), Json()}) {
    json["use_sliding_window"] = flag;
    EXPECT_EQ(parse(json).layer_types, (Types{kSliding, kFull, kSliding}));
    EXPECT_EQ(parse(json).sliding_window, 8);
    EXPECT_EQ(drafter_config_json(parse(json))["use_sliding_window"], true);  // always written
  }
}

TEST(DrafterWindows, ANumberBesideFullLayersIsIgnored) {
  for (const Json& number : {Json(2048), Json(2), Json(0)}) {
    Json json = golden(kAllFull);
    json["sliding_window"] = number;
    EXPECT_EQ(parse(json).sliding_window, 0);
    json["use_sliding_window"] = true;
    EXPECT_EQ(parse(json).layer_types, (Types{kFull, kFull}));
    EXPECT_EQ(drafter_config_json(parse(json))["sliding_window"], nullptr);
    EXPECT_EQ(drafter_config_json(parse(json))["use_sliding_window"], false);
  }
}

TEST(DrafterWindows, AWindowMustHoldABlock) {
  Json json = golden(kMixed);
  json["sliding_window"] = 7;
  expect_refused(json, "'sliding_window' is 7, less than the block of 8");
  json["sliding_window"] = nullptr;
  expect_refused(json, "'sliding_window' is missing");
  for (const Json& number : {Json(0), Json(-8), Json("8"), Json(8.5), Json(~uint64_t{0})}) {
    json["sliding_window"] = number;
    expect_refused(json, "'sliding_window' is " + number.dump());
  }
}

TEST(DrafterWindows, AFlagWithoutLayerTypesIsRefused) {
  Json json = golden(kMixed);
  json.erase("layer_types");
  expect_refused(json, "'layer_types' is missing, but use_sliding_window is true");
  json["use_sliding_window"] = "true";
  expect_refused(json, "'use_sliding_window' is \"true\"");
}

TEST(DrafterWindows, LayerTypesAreOneForEachLayer) {
  Json json = golden(kMixed);
  json["layer_types"] = {"sliding_attention", "full_attention"};
  expect_refused(json, "'layer_types' has 2 entries for 3 layers");
  json["layer_types"] = {"sliding_attention", "full_attention", "linear_attention"};
  expect_refused(json, "'layer_types' holds \"linear_attention\"");
}

}  // namespace
}  // namespace dflash
