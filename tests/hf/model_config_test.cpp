#include "common/hf/model_config.h"

#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

const std::filesystem::path kTargets = test::source_dir() / "tests" / "golden" / "target";

/// The least config that is enough.
Json small_config() {
  return {{"model_type", "qwen3"},    {"vocab_size", 160},      {"hidden_size", 48},
          {"intermediate_size", 104}, {"num_hidden_layers", 2}, {"num_attention_heads", 4},
          {"num_key_value_heads", 2}, {"head_dim", 16},         {"max_position_embeddings", 4096},
          {"rms_norm_eps", 1e-6},     {"rope_theta", 1000000},  {"dtype", "float32"}};
}

Json with(const std::string& key, const Json& value) {
  Json json = small_config();
  json[key] = value;
  return json;
}

Json without(const std::string& key) {
  Json json = small_config();
  json.erase(key);
  return json;
}

ModelConfig parse(const Json& json) {
  return parse_model_config(json, "config.json");
}

void expect_refused(const Json& json, const std::string& complaint) {
  expect_error(ErrorKind::input_file, complaint, [&] { (void)parse(json); });
  expect_error(ErrorKind::input_file, "config.json", [&] { (void)parse(json); });
}

TEST(ModelConfig, ReadsTheOldSpellings) {
  const ModelConfig config = read_model_config(kTargets / "qwen3-fp32");
  EXPECT_EQ(config.model_type, "qwen3");
  EXPECT_EQ(config.vocab_size, 160);
  EXPECT_EQ(config.hidden_size, 48);
  EXPECT_EQ(config.intermediate_size, 104);
  EXPECT_EQ(config.num_hidden_layers, 4);
  EXPECT_EQ(config.num_attention_heads, 4);
  EXPECT_EQ(config.num_key_value_heads, 2);
  EXPECT_EQ(config.head_dim, 16);
  EXPECT_EQ(config.max_position_embeddings, 4096);
  EXPECT_EQ(config.rms_norm_eps, 1e-6);
  EXPECT_EQ(config.rope_theta, 1e6);
  EXPECT_FALSE(config.attention_bias);
  EXPECT_TRUE(config.tie_word_embeddings);
  EXPECT_EQ(config.dtype, DType::f32);
  EXPECT_EQ(config.bos_token_id, 1);
  EXPECT_EQ(config.eos_token_ids, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(config.pad_token_id, std::nullopt);
}

TEST(ModelConfig, ReadsTheNewSpellings) {
  const ModelConfig config = read_model_config(kTargets / "qwen3-bf16");
  EXPECT_EQ(config.rope_theta, 1e6);
  EXPECT_EQ(config.dtype, DType::bf16);
  EXPECT_EQ(config.num_key_value_heads, 1);
  EXPECT_EQ(config.head_dim, 32);
  EXPECT_TRUE(config.attention_bias);
  EXPECT_FALSE(config.tie_word_embeddings);
}

TEST(ModelConfig, AbsentKeysHaveTheDefaultsOfQwen3) {
  EXPECT_EQ(parse(without("head_dim")).head_dim, 128);
  EXPECT_EQ(parse(without("rope_theta")).rope_theta, 10000);
  EXPECT_EQ(parse(without("num_key_value_heads")).num_key_value_heads, 4);
  EXPECT_FALSE(parse(small_config()).tie_word_embeddings);
  EXPECT_FALSE(parse(small_config()).attention_bias);
  EXPECT_TRUE(parse(small_config()).eos_token_ids.empty());
  EXPECT_EQ(parse(with("head_dim", nullptr)).head_dim, 128);
}

TEST(ModelConfig, RopeObjectsWinInTheirOrder) {
  Json json = with("rope_parameters", {{"rope_type", "default"}, {"rope_theta", 5e5}});
  EXPECT_EQ(parse(json).rope_theta, 5e5);  // over the bare 1e6
  json["rope_scaling"] = nullptr;
  EXPECT_EQ(parse(json).rope_theta, 5e5);
  json["rope_scaling"] = {{"type", "default"}, {"rope_theta", 3e5}};
  EXPECT_EQ(parse(json).rope_theta, 3e5);
  json["rope_scaling"] = {{"rope_type", "default"}};
  EXPECT_EQ(parse(json).rope_theta, 1e6);  // the bare one, not that of rope_parameters
  json.erase("rope_theta");
  EXPECT_EQ(parse(json).rope_theta, 10000);
}

TEST(ModelConfig, OtherRopesAreRefusedByName) {
  for (const char* type : {"linear", "llama3", "yarn", "dynamic", "longrope"}) {
    expect_refused(with("rope_scaling", {{"rope_type", type}, {"factor", 4}}), type);
    expect_refused(with("rope_scaling", {{"type", type}, {"factor", 4}}), type);
    expect_refused(with("rope_parameters", {{"rope_type", type}, {"rope_theta", 1e6}}), type);
  }
  expect_refused(with("partial_rotary_factor", 0.25), "partial_rotary_factor");
  expect_refused(with("rope_parameters", {{"partial_rotary_factor", 0.5}}), "partial_rotary_factor");
  expect_refused(with("rope_parameters", {{"full_attention", {{"rope_type", "default"}}}}), "full_attention");
  expect_refused(with("rope_scaling", "yarn"), "rope_scaling");
  EXPECT_EQ(parse(with("partial_rotary_factor", 1.0)).rope_theta, 1e6);
}

TEST(ModelConfig, DtypeIsFloat32OrBfloat16) {
  Json old = without("dtype");
  old["torch_dtype"] = "bfloat16";
  EXPECT_EQ(parse(old).dtype, DType::bf16);
  old["dtype"] = "float32";
  EXPECT_EQ(parse(old).dtype, DType::f32);
  expect_refused(with("dtype", "float16"), "'dtype' is 'float16'");
  Json half = without("dtype");
  half["torch_dtype"] = "float16";
  expect_refused(half, "'torch_dtype' is 'float16'");
  expect_refused(without("dtype"), "'dtype' is missing");
}

TEST(ModelConfig, OtherModelsAreRefusedByName) {
  for (const char* type : {"llama", "qwen2", "qwen3_moe", "gemma3_text"}) {
    expect_refused(with("model_type", type), std::string("'") + type + "': not known, only qwen3");
  }
  expect_refused(without("model_type"), "'model_type' is missing");
  expect_refused(with("text_config", small_config()), "text_config");
  expect_refused(with("architectures", {"DFlashDraftModel"}), "DFlashDraftModel");
  expect_refused(Json::array(), "expected a JSON object");
}

TEST(ModelConfig, LayersThatAreNotComputedAreRefused) {
  expect_refused(with("hidden_act", "gelu"), "gelu");
  expect_refused(with("attention_dropout", 0.1), "attention_dropout");
  expect_refused(with("quantization_config", {{"quant_method", "fp8"}}), "quantization_config");
  expect_refused(with("use_sliding_window", true), "use_sliding_window");
  expect_refused(with("layer_types", {"full_attention", "sliding_attention"}), "sliding_attention");
  expect_refused(with("layer_types", {"full_attention"}), "1 entries for 2 layers");
  Json unused_window = with("sliding_window", 8);
  unused_window["use_sliding_window"] = false;
  unused_window["layer_types"] = {"full_attention", "full_attention"};
  EXPECT_EQ(parse(unused_window).num_hidden_layers, 2);
}

TEST(ModelConfig, EverySizeIsDistrusted) {
  for (const char* key : {"vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
                          "max_position_embeddings", "rms_norm_eps"}) {
    expect_refused(without(key), std::string("'") + key + "' is missing");
    for (const Json& value : {Json(0), Json(-1), Json("48"), Json::array()}) expect_refused(with(key, value), key);
  }
  for (const char* key : {"vocab_size", "hidden_size", "num_hidden_layers", "head_dim", "num_key_value_heads"}) {
    for (const Json& value : {Json(2.5), Json(48.0), Json(true), Json(int64_t{1} << 40), Json(~uint64_t{0})}) {
      expect_refused(with(key, value), key);
    }
  }
  expect_refused(with("num_key_value_heads", 3), "num_key_value_heads");
  expect_refused(with("head_dim", 15), "odd");
  expect_refused(with("rope_theta", -1), "rope_theta");
  expect_refused(with("attention_bias", 1), "attention_bias");
}

TEST(ModelConfig, TokenIdsLieInTheVocabulary) {
  EXPECT_EQ(parse(with("eos_token_id", 159)).eos_token_ids, std::vector<int64_t>{159});
  for (const char* key : {"bos_token_id", "eos_token_id", "pad_token_id"}) {
    for (const Json& value : {Json(160), Json(-1), Json("1")}) expect_refused(with(key, value), key);
  }
  expect_refused(with("eos_token_id", {1, 160}), "eos_token_id");
}

TEST(ReadStopTokens, JoinsBothFiles) {
  const TempFolder folder;
  const ModelConfig config = parse(with("eos_token_id", {7, 3}));
  EXPECT_EQ(read_stop_tokens(folder.path(), config), (std::vector<int64_t>{3, 7}));
  const auto path = folder.path() / "generation_config.json";
  write_text(path, R"({"eos_token_id": [5, 7]})");
  EXPECT_EQ(read_stop_tokens(folder.path(), config), (std::vector<int64_t>{3, 5, 7}));
  write_text(path, R"({"eos_token_id": 1})");
  EXPECT_EQ(read_stop_tokens(folder.path(), config), (std::vector<int64_t>{1, 3, 7}));
  write_text(path, R"({"do_sample": false})");
  EXPECT_EQ(read_stop_tokens(folder.path(), config), (std::vector<int64_t>{3, 7}));
  write_text(path, R"({"eos_token_id": 160})");
  expect_error(ErrorKind::input_file, "eos_token_id", [&] { (void)read_stop_tokens(folder.path(), config); });
}

}  // namespace
}  // namespace dflash
