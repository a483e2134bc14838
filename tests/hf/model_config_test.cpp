// What all families have in common: sizes, dtype, token ids, stop tokens.
#include "common/hf/model_config.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/hf/config_json.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

TEST(ModelConfig, ReadsTheOldSpellings) {
  const ModelConfig config = read_model_config(golden_target("qwen3-fp32"));
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
  EXPECT_EQ(config.rope.theta, 1e6);
  EXPECT_TRUE(config.tie_word_embeddings);
  EXPECT_EQ(config.dtype, DType::f32);
  EXPECT_EQ(config.bos_token_id, 1);
  EXPECT_EQ(config.eos_token_ids, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(config.pad_token_id, std::nullopt);
}

TEST(ModelConfig, ReadsTheNewSpellings) {
  const ModelConfig config = read_model_config(golden_target("qwen3-bf16"));
  EXPECT_EQ(config.rope.theta, 1e6);
  EXPECT_EQ(config.dtype, DType::bf16);
  EXPECT_EQ(config.num_key_value_heads, 1);
  EXPECT_EQ(config.head_dim, 32);
  EXPECT_FALSE(config.tie_word_embeddings);
}

TEST(ModelConfig, AbsentAndNullKeysAreDefaults) {
  EXPECT_EQ(parse(without("num_key_value_heads")).num_key_value_heads, 4);
  EXPECT_EQ(parse(with("num_key_value_heads", nullptr)).num_key_value_heads, 4);
  EXPECT_FALSE(parse(small_config()).tie_word_embeddings);
  EXPECT_FALSE(parse(with("tie_word_embeddings", nullptr)).tie_word_embeddings);
  EXPECT_TRUE(parse(small_config()).eos_token_ids.empty());
  EXPECT_TRUE(parse(with("eos_token_id", nullptr)).eos_token_ids.empty());
}

TEST(ModelConfig, DtypesOfStoredWeights) {
  EXPECT_EQ(parse(with("dtype", "float16")).dtype, DType::f16);
  Json old = without("dtype");
  old["torch_dtype"] = "bfloat16";
  EXPECT_EQ(parse(old).dtype, DType::bf16);
  old["dtype"] = "float32";
  EXPECT_EQ(parse(old).dtype, DType::f32);
  expect_refused(with("dtype", "float64"), "'dtype' is 'float64'");
  expect_refused(with("torch_dtype", "float8_e4m3fn", without("dtype")), "'torch_dtype' is 'float8_e4m3fn'");
  expect_refused(without("dtype"), "'dtype' is missing");
  expect_refused(with("dtype", 32), "'dtype' is 32");
}

TEST(ModelConfig, LayersThatAreNotComputedAreRefused) {
  expect_refused(with("hidden_act", "gelu"), "gelu");
  expect_refused(with("attention_dropout", 0.1), "attention_dropout");
  expect_refused(with("quantization_config", {{"quant_method", "fp8"}}), "quantization_config");
  EXPECT_EQ(parse(with("hidden_act", "silu")).num_hidden_layers, 2);
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
  for (const double value : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    expect_refused(with("rms_norm_eps", value), "'rms_norm_eps'");
  }
  expect_refused(with("num_hidden_layers", 10001), "from 1 to 10000");
  expect_refused(with("num_key_value_heads", 3), "num_key_value_heads");
  expect_refused(with("head_dim", 15), "'head_dim' is 15: rotation needs pairs");
  expect_refused(with("tie_word_embeddings", 1), "tie_word_embeddings");
  expect_refused(Json::array(), "expected a JSON object");
}

/// hidden_size / num_attention_heads of a family without a width of its own.
TEST(ModelConfig, AHeadWidthThatFollowsIsCheckedToo) {
  Json llama = without("head_dim", with("model_type", "llama"));
  EXPECT_EQ(parse(llama).head_dim, 12);
  llama["hidden_size"] = 60;
  expect_refused(llama, "'head_dim' is 15");
  llama["hidden_size"] = 3;
  expect_refused(llama, "'head_dim' is 0");
}

TEST(ModelConfig, ANumberTooLargeForADoubleIsNoConfig) {
  const TempFolder folder;
  write_text(folder.path() / "config.json", R"({"model_type": "qwen3", "rms_norm_eps": 1e400})");
  expect_error(ErrorKind::input_file, "too large for a double", [&] { (void)read_model_config(folder.path()); });
  write_text(folder.path() / "config.json", R"({"model_type": "qwen3", "rms_norm_eps": NaN})");
  expect_error(ErrorKind::input_file, "not JSON", [&] { (void)read_model_config(folder.path()); });
}

TEST(ModelConfig, TokenIdsLieInTheVocabulary) {
  EXPECT_EQ(parse(with("eos_token_id", 159)).eos_token_ids, std::vector<int64_t>{159});
  for (const char* key : {"bos_token_id", "eos_token_id", "pad_token_id"}) {
    for (const Json& value : {Json(160), Json(-1), Json("1"), Json(1.0)}) expect_refused(with(key, value), key);
  }
  expect_refused(with("eos_token_id", {1, 160}), "eos_token_id");
  expect_refused(with("eos_token_id", {{1}}), "eos_token_id");
}

class ReadStopTokens : public testing::Test {
 protected:
  /// For a target whose config.json says `eos`, beside a generation_config.json of that text.
  std::vector<int64_t> stop_tokens(const Json& eos, const std::string& generation_config) {
    write_text(folder_.path() / "generation_config.json", generation_config);
    return read_stop_tokens(folder_.path(), parse(with("eos_token_id", eos)));
  }
  TempFolder folder_;
};

using Tokens = std::vector<int64_t>;

TEST_F(ReadStopTokens, JoinsBothFiles) {
  EXPECT_EQ(read_stop_tokens(folder_.path(), parse(with("eos_token_id", {7, 3}))), (Tokens{3, 7}));
  EXPECT_EQ(stop_tokens({7, 3}, R"({"eos_token_id": [5, 7]})"), (Tokens{3, 5, 7}));
  EXPECT_EQ(stop_tokens({7, 3}, R"({"eos_token_id": 1})"), (Tokens{1, 3, 7}));
  EXPECT_EQ(stop_tokens(7, R"({"eos_token_id": 1})"), (Tokens{1, 7}));
  EXPECT_EQ(stop_tokens(nullptr, R"({"eos_token_id": [9, 4, 9]})"), (Tokens{4, 9}));
}

TEST_F(ReadStopTokens, AFileWithoutThemAddsNone) {
  for (const char* text : {R"({"do_sample": false})", R"({"eos_token_id": null})", R"({"eos_token_id": []})", "{}"}) {
    EXPECT_EQ(stop_tokens({7, 3}, text), (Tokens{3, 7})) << text;
    EXPECT_EQ(stop_tokens(nullptr, text), Tokens{}) << text;
  }
}

TEST_F(ReadStopTokens, WhatIsNoTokenOfTheTargetIsRefused) {
  for (const char* value :
       {"160", "-1", "[2, 160]", "\"2\"", "2.5", "true", "{\"id\": 2}", "[[2]]", "18446744073709551615"}) {
    const std::string text = std::string(R"({"eos_token_id": )") + value + "}";
    expect_error(ErrorKind::input_file, "generation_config.json: 'eos_token_id'", [&] { (void)stop_tokens(7, text); });
  }
  expect_error(ErrorKind::input_file, "generation_config.json", [&] { (void)stop_tokens(7, "[2]"); });
  expect_error(ErrorKind::input_file, "generation_config.json: not JSON", [&] { (void)stop_tokens(7, "{"); });
}

}  // namespace
}  // namespace dflash
