#include "common/hf/drafter_config.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/paths.h"

namespace dflash {
namespace {

const std::filesystem::path kGolden = test::source_dir() / "tests" / "golden";

Json golden_config() {
  return read_json_file(kGolden / "export" / "zlab" / "config.json");
}

DrafterConfig parse(const Json& json) {
  return parse_drafter_config(json, "config.json");
}

void expect_refused(const Json& json, const std::string& complaint) {
  expect_error(ErrorKind::input_file, complaint, [&] { (void)parse(json); });
}

/// Keys and values, in whatever order.
nlohmann::json unordered(const Json& json) {
  return nlohmann::json::parse(json.dump());
}

TEST(DrafterConfig, ReadsTheGoldenCase) {
  const DrafterConfig config = read_drafter_config(kGolden / "drafter" / "12_decode");
  EXPECT_EQ(config.block_size, 8);
  EXPECT_EQ(config.mask_token_id, 95);
  EXPECT_EQ(config.target_layer_ids, (std::vector<int64_t>{0, 2}));
  EXPECT_EQ(config.num_target_layers, 4);
  EXPECT_EQ(config.vocab_size, 96);
  EXPECT_EQ(config.hidden_size, 48);
  EXPECT_EQ(config.intermediate_size, 64);
  EXPECT_EQ(config.num_hidden_layers, 2);
  EXPECT_EQ(config.num_attention_heads, 4);
  EXPECT_EQ(config.num_key_value_heads, 2);
  EXPECT_EQ(config.head_dim, 12);
  EXPECT_EQ(config.max_position_embeddings, 4096);
  EXPECT_EQ(config.rms_norm_eps, 1e-6);
  EXPECT_EQ(config.rope, RopeConfig{});
  EXPECT_FALSE(config.attention_bias);
  EXPECT_EQ(config.dtype, DType::f32);
  EXPECT_EQ(config.bos_token_id, std::nullopt);
  EXPECT_TRUE(config.eos_token_ids.empty());
}

TEST(DrafterConfig, ReadsAndWritesEveryGoldenCase) {
  for (const char* name : {"01_basic", "02_packed", "03_mixed_sliding", "04_all_sliding", "05_gqa_head_dim", "10_adamw",
                           "11_ranks_accumulation", "12_decode", "14_attention_bias"}) {
    const Json written = drafter_config_json(read_drafter_config(kGolden / "drafter" / name));
    EXPECT_EQ(unordered(written), unordered(read_json_file(kGolden / "drafter" / name / "config.json"))) << name;
  }
}

TEST(DrafterConfig, WritesTheGoldenExport) {
  const Json written = drafter_config_json(read_drafter_config(kGolden / "drafter" / "12_decode"));
  EXPECT_EQ(written.dump(), golden_config().dump());  // in the same order, too
}

TEST(DrafterConfig, ABfloat16ExportDiffersInDtypeAlone) {
  DrafterConfig config = parse(golden_config());
  config.dtype = DType::bf16;
  Json expected = golden_config();
  expected["dtype"] = "bfloat16";
  EXPECT_EQ(unordered(drafter_config_json(config)), unordered(expected));
}

TEST(DrafterConfig, WhatIsWrittenIsReadBack) {
  DrafterConfig config = parse(golden_config());
  config.eos_token_ids = {7};
  config.bos_token_id = 1;
  config.attention_bias = true;
  EXPECT_EQ(drafter_config_json(config)["eos_token_id"], 7);
  EXPECT_EQ(parse(drafter_config_json(config)).eos_token_ids, std::vector<int64_t>{7});
  config.eos_token_ids = {7, 9};
  const Json written = drafter_config_json(config);
  EXPECT_EQ(written["eos_token_id"], Json::array({7, 9}));
  EXPECT_EQ(unordered(drafter_config_json(parse(written))), unordered(written));
  config.dtype = DType::f16;
  EXPECT_EQ(parse(drafter_config_json(config)).dtype, DType::f16);
}

TEST(DrafterConfig, ARopeGoesOutAsItCameIn) {
  Json json = golden_config();
  json["rope_scaling"] = {{"rope_type", "yarn"}, {"factor", 4.0}, {"original_max_position_embeddings", 1024}};
  const DrafterConfig config = parse(json);
  EXPECT_EQ(describe_rope(config.rope), "yarn x4 over 1024 positions, theta 10000");
  const Json written = drafter_config_json(config);
  EXPECT_EQ(written["rope_theta"], 10000);
  EXPECT_EQ(parse(written).rope, config.rope);
  EXPECT_EQ(written["rope_scaling"]["factor"], 4);
}

TEST(DrafterConfig, ReadsEveryPlacementOfKeys) {
  Json nested = golden_config();
  nested.erase("block_size");
  EXPECT_EQ(parse(nested).block_size, 8);
  nested["block_size"] = 16;
  EXPECT_EQ(parse(nested).block_size, 8);  // dflash_config goes first
  Json flat = golden_config();
  flat["dflash_config"].erase("block_size");
  flat["block_size"] = 16;
  EXPECT_EQ(parse(flat).block_size, 16);
  for (const char* key : {"mask_token_id", "target_layer_ids"}) {
    flat[key] = flat["dflash_config"][key];
    flat["dflash_config"].erase(key);
  }
  EXPECT_EQ(parse(flat).mask_token_id, 95);
  EXPECT_EQ(parse(flat).target_layer_ids, (std::vector<int64_t>{0, 2}));
  flat.erase("dflash_config");
  EXPECT_EQ(parse(flat).target_layer_ids, (std::vector<int64_t>{0, 2}));
  flat.erase("is_causal");
  flat.erase("layer_types");
  flat.erase("rope_theta");
  flat["rope_parameters"] = {{"rope_type", "default"}, {"rope_theta", 5e5}};
  EXPECT_EQ(parse(flat).rope.theta, 5e5);
}

TEST(DrafterConfig, AbsentLayerIdsAreTheFormulaOverItsDepth) {
  Json json = golden_config();
  json["dflash_config"].erase("target_layer_ids");
  json["num_target_layers"] = 36;
  EXPECT_EQ(parse(json).target_layer_ids, (std::vector<int64_t>{1, 33}));
  json["num_target_layers"] = 1;  // the formula leaves the target
  expect_refused(json, "target_layer_ids");
}

TEST(DrafterConfig, MissingKeysAreNamed) {
  for (const char* key : {"num_target_layers", "model_type", "hidden_size", "vocab_size", "dtype", "rms_norm_eps"}) {
    Json json = golden_config();
    json.erase(key);
    expect_refused(json, std::string("config.json: '") + key + "' is missing");
  }
  Json json = golden_config();
  json["dflash_config"].erase("mask_token_id");
  expect_refused(json, "'mask_token_id' is missing");
  json = golden_config();
  json.erase("block_size");
  json["dflash_config"].erase("block_size");
  expect_refused(json, "'block_size' is missing");
}

TEST(DrafterConfig, ValuesOutOfRangeAreRefused) {
  const std::vector<std::pair<const char*, Json>> rows{{"mask_token_id", 96},
                                                       {"mask_token_id", -1},
                                                       {"block_size", 1},
                                                       {"block_size", 2.5},
                                                       {"target_layer_ids", {2, 0}},
                                                       {"target_layer_ids", {1, 1}},
                                                       {"target_layer_ids", {0, 4}},
                                                       {"target_layer_ids", {-1, 2}},
                                                       {"target_layer_ids", "0,2"},
                                                       {"target_layer_ids", Json::array()}};
  for (const auto& [key, value] : rows) {
    Json json = golden_config();
    json["dflash_config"][key] = value;
    expect_refused(json, key);
  }
  Json json = golden_config();
  json["dflash_config"] = {1};
  expect_refused(json, "dflash_config: expected a JSON object");
  json = golden_config();
  json["num_target_layers"] = 0;
  expect_refused(json, "num_target_layers");
}

TEST(DrafterConfig, TheTargetsLastLayerIsReadAsItStands) {
  Json json = golden_config();
  json["dflash_config"]["target_layer_ids"] = {0, 3};
  EXPECT_EQ(parse(json).target_layer_ids, (std::vector<int64_t>{0, 3}));
}

TEST(DrafterConfig, KeysOfAnotherNetworkAreRefusedInBothPlaces) {
  const std::vector<std::pair<const char*, Json>> rows{{"output_multiplier", 0.5},
                                                       {"final_logit_softcapping", 30.0},
                                                       {"input_embedding_scale", 48.0},
                                                       {"logit_scale", 2},
                                                       {"attention_value_scale", 0.5},
                                                       {"attention_sink_bias", true},
                                                       {"use_gemma_norm", true},
                                                       {"is_neox_style", false},
                                                       {"use_swa", true},
                                                       {"projector_type", "domino"},
                                                       {"conv_kernel_size", 2},
                                                       {"conv_group_size", 16},
                                                       {"selector_rank", 256},
                                                       {"selector_top_k", 16},
                                                       {"has_own_lm_head", true},
                                                       {"has_embed_tokens", true},
                                                       {"n_predict", 3},
                                                       {"quantization_config", {{"quant_method", "fp8"}}},
                                                       {"draft_vocab_size", 64},
                                                       {"target_hidden_size", 96}};
  for (const auto& [key, value] : rows) {
    Json top = golden_config(), nested = golden_config();
    top[key] = value;
    nested["dflash_config"][key] = value;
    expect_refused(top, key);
    expect_refused(nested, key);
  }
}

TEST(DrafterConfig, KeysThatChangeNothingPass) {
  const std::vector<std::pair<const char*, Json>> rows{{"output_multiplier", 1.0},
                                                       {"final_logit_softcapping", nullptr},
                                                       {"input_embedding_scale", 1},
                                                       {"is_neox_style", true},
                                                       {"use_swa", false},
                                                       {"projector_type", nullptr},
                                                       {"is_causal", nullptr},
                                                       {"draft_vocab_size", 96},
                                                       {"target_hidden_size", 48},
                                                       {"sliding_window", 2048},
                                                       {"layer_types", nullptr},
                                                       {"layer_types", Json::array()},
                                                       {"layer_types", {"full_attention", "full_attention"}},
                                                       {"auto_map", {{"AutoModel", "dflash.DFlashDraftModel"}}}};
  for (const auto& [key, value] : rows) {
    Json json = golden_config();
    json[key] = value;
    EXPECT_EQ(unordered(drafter_config_json(parse(json))), unordered(golden_config())) << key;
  }
}

TEST(DrafterConfig, OtherFormatsAreRefused) {
  const std::vector<std::pair<const char*, Json>> rows{{"rope_scaling", {{"rope_type", "longrope"}, {"factor", 4}}},
                                                       {"attention_dropout", 0.1},
                                                       {"model_type", "dflash"},
                                                       {"speculators_model_type", "dflash"},
                                                       {"architectures", {"DFlash2DraftModel"}},
                                                       {"architectures", {"DFlashDraftModel", "DFlash2DraftModel"}}};
  for (const auto& [key, value] : rows) {
    Json json = golden_config();
    json[key] = value;
    expect_refused(json, key);
  }
}

}  // namespace
}  // namespace dflash
