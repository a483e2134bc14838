// Each family's own rules, on the golden targets and key by key (golden/target: "layer types", "head_dim missing").
#include "common/hf/model_family.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/hf/config_json.h"

namespace dflash {
namespace {

constexpr auto kFull = LayerType::full_attention;
constexpr auto kSliding = LayerType::sliding_attention;
using Types = std::vector<LayerType>;

/// Two layers of that family, a head width that is not theirs by default.
Json family(const std::string& model_type) {
  return with("model_type", model_type);
}

struct GoldenTarget {
  const char* name;
  const char* model_type;
  const char* biases;  // of "qkv", "o", "mlp"
  int64_t head_dim;
  int64_t window;
  const char* rope;
};

const std::vector<GoldenTarget>& golden_targets() {
  static const std::vector<GoldenTarget> targets{
      {"qwen3-fp32", "qwen3", "", 16, 0, "theta 1000000"},
      {"qwen3-bf16", "qwen3", "qkv o", 32, 0, "theta 1000000"},
      {"qwen3-sharded", "qwen3", "", 16, 0, "theta 1000000"},
      {"qwen3-packed", "qwen3", "", 16, 0, "theta 1000000"},
      {"qwen3-yarn", "qwen3", "", 24, 0, "yarn x4 over 128 positions, theta 1000000"},
      {"llama3-rope", "llama", "", 16, 0, "llama3 x8 over 256 positions, theta 500000"},
      {"llama-untied", "llama", "qkv o mlp", 12, 0, "theta 10000"},
      {"qwen2", "qwen2", "qkv", 14, 0, "theta 1000000"},
      {"qwen2-window", "qwen2", "qkv", 14, 7, "theta 1000000"},
      {"mistral-window", "mistral", "", 16, 6, "theta 10000"}};
  return targets;
}

std::string biases_of(const ModelConfig& config) {
  std::string text = config.qkv_bias ? "qkv" : "";
  if (config.o_bias) text += " o";
  if (config.mlp_bias) text += " mlp";
  return text;
}

std::string layer_type_names(const ModelConfig& config) {
  std::string text;
  for (const LayerType type : config.layer_types) {
    text += (text.empty() ? "" : " ") + std::string(layer_type_name(type));
  }
  return text;
}

TEST(ModelFamily, RulesOfEveryGoldenTarget) {
  for (const GoldenTarget& expected : golden_targets()) {
    SCOPED_TRACE(expected.name);
    const ModelConfig config = read_model_config(golden_target(expected.name));
    const Json made_from = read_json_file(golden_target(expected.name) / "case.json");
    EXPECT_EQ(config.model_type, expected.model_type);
    EXPECT_EQ(biases_of(config), expected.biases);
    EXPECT_EQ(config.qk_norm, config.model_type == "qwen3");
    EXPECT_EQ(config.head_dim, expected.head_dim);
    EXPECT_EQ(layer_type_names(config), made_from["layer_types"]);
    EXPECT_EQ(config.sliding_window, expected.window);
    EXPECT_EQ(describe_rope(config.rope), expected.rope);
  }
}

TEST(ModelFamily, EveryFileOfAFamilyHasItsLine) {
  std::set<std::string> files, lines;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_dir() / "common/hf/families")) {
    if (entry.path().extension() == ".cpp") files.insert(entry.path().stem());
  }
  for (const ModelFamily* known : model_families()) lines.insert(known->model_type);
  EXPECT_EQ(files, lines);
  EXPECT_EQ(lines.size(), model_families().size());
}

TEST(ModelFamily, OtherModelsAreRefusedByName) {
  for (const char* type : {"qwen3_moe", "qwen3_next", "qwen3_5_text", "gemma3_text", "gpt_oss", "ministral", "Llama"}) {
    expect_refused(family(type),
                   std::string("'model_type' is '") + type + "': expected one of llama, mistral, qwen2, qwen3");
  }
  expect_refused(without("model_type"), "'model_type' is missing");
  Json wrapped{{"model_type", "qwen3_5_moe"}, {"text_config", small_config()}};
  expect_refused(wrapped, "'text_config' nested multimodal models are not read");
}

TEST(ModelFamily, TheArchitectureIsTheFamilys) {
  for (const ModelFamily* known : model_families()) {
    Json json = family(known->model_type);
    json["architectures"] = {known->architecture};
    EXPECT_EQ(parse(json).model_type, known->model_type);
    json["architectures"] = {"DFlashDraftModel"};
    expect_refused(json, "this is a drafter's folder");
    json["architectures"] = {"GemmaForCausalLM"};
    expect_refused(json, std::string("GemmaForCausalLM\"]: expected ") + known->architecture);
    json["architectures"] = known->architecture;  // no list
    expect_refused(json, "'architectures'");
  }
}

TEST(ModelFamily, AbsentHeadWidth) {
  EXPECT_EQ(parse(without("head_dim", family("qwen3"))).head_dim, 128);
  EXPECT_EQ(parse(with("head_dim", nullptr, family("qwen3"))).head_dim, 128);
  for (const char* type : {"llama", "qwen2", "mistral"}) {
    EXPECT_EQ(parse(without("head_dim", family(type))).head_dim, 12) << type;
    EXPECT_EQ(parse(family(type)).head_dim, 16) << type;
  }
}

TEST(ModelFamily, Biases) {
  EXPECT_EQ(biases_of(parse(family("qwen3"))), "");
  EXPECT_EQ(biases_of(parse(with("attention_bias", true, family("qwen3")))), "qkv o");
  EXPECT_EQ(biases_of(parse(family("llama"))), "");
  EXPECT_EQ(biases_of(parse(with("attention_bias", true, family("llama")))), "qkv o");
  EXPECT_EQ(biases_of(parse(with("mlp_bias", true, family("llama")))), " mlp");
  EXPECT_EQ(biases_of(parse(family("qwen2"))), "qkv");
  EXPECT_EQ(biases_of(parse(family("mistral"))), "");
  expect_refused(with("attention_bias", 1, family("qwen3")), "attention_bias");
  expect_refused(with("mlp_bias", "true", family("llama")), "mlp_bias");
}

class QwenWindows : public testing::TestWithParam<const char*> {
 protected:
  /// use_sliding_window, a window of 8, layer 1 slides.
  static Json windowed() {
    Json json = family(GetParam());
    json["use_sliding_window"] = true;
    json["sliding_window"] = 8;
    json["max_window_layers"] = 1;
    return json;
  }
};
INSTANTIATE_TEST_SUITE_P(Families, QwenWindows, testing::Values("qwen2", "qwen3"));

TEST_P(QwenWindows, LayersFromMaxWindowLayersOnSlide) {
  EXPECT_EQ(parse(windowed()).layer_types, (Types{kFull, kSliding}));
  EXPECT_EQ(parse(windowed()).sliding_window, 8);
  EXPECT_EQ(parse(with("max_window_layers", 0, windowed())).layer_types, (Types{kSliding, kSliding}));
  EXPECT_EQ(parse(with("max_window_layers", 9, windowed())).layer_types, (Types{kFull, kFull}));
  EXPECT_EQ(parse(without("max_window_layers", windowed())).layer_types, (Types{kFull, kFull}));  // 28
  EXPECT_EQ(parse(without("sliding_window", windowed())).sliding_window, 4096);
}

TEST_P(QwenWindows, ANumberWithoutTheFlagIsIgnored) {
  for (const Json& json : {with("use_sliding_window", false, windowed()), without("use_sliding_window", windowed())}) {
    EXPECT_EQ(parse(json).layer_types, (Types{kFull, kFull}));
    EXPECT_EQ(parse(json).sliding_window, 0);
  }
  EXPECT_EQ(parse(with("sliding_window", 0, family(GetParam()))).sliding_window, 0);  // not even a sensible one
}

TEST_P(QwenWindows, AFlagWithANullWindowSlidesNothing) {
  EXPECT_EQ(parse(with("sliding_window", nullptr, windowed())).layer_types, (Types{kFull, kFull}));
}

TEST_P(QwenWindows, LayerTypesWin) {
  const Json sliding_first = {"sliding_attention", "full_attention"};
  const ModelConfig config = parse(with("layer_types", sliding_first, windowed()));
  EXPECT_EQ(config.layer_types, (Types{kSliding, kFull}));
  EXPECT_EQ(config.sliding_window, 8);
  const ModelConfig full = parse(with("layer_types", {"full_attention", "full_attention"}, windowed()));
  EXPECT_EQ(full.layer_types, (Types{kFull, kFull}));
  EXPECT_EQ(full.sliding_window, 0);
  for (const auto& [key, value] : {std::pair<const char*, Json>{"use_sliding_window", false}, {"sliding_window", {}}}) {
    expect_refused(with(key, value, with("layer_types", sliding_first, windowed())), "'layer_types' holds");
  }
}

TEST_P(QwenWindows, NumbersAreDistrusted) {
  for (const Json& value : {Json(0), Json(-8), Json("8"), Json(8.0), Json(~uint64_t{0})}) {
    expect_refused(with("sliding_window", value, windowed()), "'sliding_window'");
  }
  for (const Json& value : {Json(-1), Json("1"), Json(1.5)}) {
    expect_refused(with("max_window_layers", value, windowed()), "'max_window_layers'");
  }
  expect_refused(with("use_sliding_window", "yes", windowed()), "'use_sliding_window'");
}

TEST(MistralWindows, ANumberSlidesEveryLayer) {
  const ModelConfig config = parse(with("sliding_window", 6, family("mistral")));
  EXPECT_EQ(config.layer_types, (Types{kSliding, kSliding}));
  EXPECT_EQ(config.sliding_window, 6);
  EXPECT_EQ(parse(with("use_sliding_window", false, with("sliding_window", 6, family("mistral")))).sliding_window, 6);
}

TEST(MistralWindows, NullAndAbsentDiffer) {
  const ModelConfig none = parse(with("sliding_window", nullptr, family("mistral")));
  EXPECT_EQ(none.layer_types, (Types{kFull, kFull}));
  EXPECT_EQ(none.sliding_window, 0);
  const ModelConfig absent = parse(family("mistral"));  // the config class's own number
  EXPECT_EQ(absent.layer_types, (Types{kSliding, kSliding}));
  EXPECT_EQ(absent.sliding_window, 4096);
}

TEST(MistralWindows, LayerTypesWin) {
  Json json =
      with("layer_types", {"full_attention", "sliding_attention"}, with("sliding_window", 6, family("mistral")));
  EXPECT_EQ(parse(json).layer_types, (Types{kFull, kSliding}));
  json["sliding_window"] = nullptr;
  expect_refused(json, "'sliding_window' is null, but layer_types holds sliding_attention");
  expect_refused(with("sliding_window", 0, family("mistral")), "'sliding_window' is 0");
}

TEST(LlamaWindows, NoLayerSlides) {
  EXPECT_EQ(parse(with("sliding_window", 8, family("llama"))).layer_types, (Types{kFull, kFull}));
  EXPECT_EQ(parse(with("layer_types", {"full_attention", "full_attention"}, family("llama"))).sliding_window, 0);
  expect_refused(with("layer_types", {"full_attention", "sliding_attention"}, family("llama")),
                 "Llama layers do not slide");
}

}  // namespace
}  // namespace dflash
