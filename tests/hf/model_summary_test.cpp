// What is told of a target's folder: the golden targets by hand, and folders that are not whole.
#include "common/hf/model_summary.h"

#include <gtest/gtest.h>

#include <map>

#include "tests/hf/drafter_folder_maker.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

fs::path golden(const std::string& name) {
  return test::source_dir() / "tests" / "golden" / "target" / name;
}

std::map<std::string, Json> facts_of(const ModelSummary& summary) {
  std::map<std::string, Json> facts;
  for (const SummaryFact& fact : summary.facts) facts[fact.name] = fact.value;
  return facts;
}

/// Whether one problem says all of this.
bool has_problem(const ModelSummary& summary, const std::string& part) {
  for (const std::string& problem : summary.problems) {
    if (problem.find(part) != std::string::npos) return true;
  }
  return false;
}

TEST(ModelSummary, GoldenTargetsAreWhole) {
  for (const char* name :
       {"qwen3-fp32", "qwen3-bf16", "qwen3-sharded", "qwen2-window", "mistral-window", "llama-untied"}) {
    EXPECT_TRUE(summarize_model(golden(name), {}, 5).problems.empty()) << name;
  }
}

/// hidden 48, inner 104, 4 heads of 16, 2 key/value heads, 4 layers, vocabulary 160, head tied.
TEST(ModelSummary, TellsAShardedQwen3) {
  auto facts = facts_of(summarize_model(golden("qwen3-sharded"), {}, 5));
  EXPECT_EQ(facts["family"], "qwen3");
  EXPECT_EQ(facts["sizes"]["head_dim"], 16);
  EXPECT_EQ(facts["layers"], (Json{{"count", 4}, {"full", 4}, {"sliding", 0}, {"window", 0}}));
  const int64_t layer = 48 * 64 * 2 + 48 * 32 * 2 + 3 * 48 * 104 + 2 * 48 + 2 * 16;
  EXPECT_EQ(facts["parameters"]["count"], 160 * 48 + 48 + 4 * layer);
  EXPECT_EQ(facts["parameters"]["bytes"], 4 * (160 * 48 + 48 + 4 * layer));
  EXPECT_EQ(facts["parameters"]["files"], 3);
  EXPECT_EQ(facts["dtype"]["config"], "float32");
  EXPECT_EQ(facts["dtype"]["stored"], "F32 (46 tensors)");
  EXPECT_EQ(facts["tied_head"], true);
  EXPECT_EQ(facts["rope"], "theta 1000000");
  EXPECT_EQ(facts["stop_tokens"], Json::array({2, 3}));
  EXPECT_EQ(facts["captured_layers"], Json::array({2}));  // K = 1: half the depth
  EXPECT_EQ(facts["bytes_per_token"], (Json{{"token", 48 * 4}, {"pack_of_4096", 48 * 4 * 4096}}));
}

TEST(ModelSummary, TellsWindowsBiasesAndHeads) {
  auto facts = facts_of(summarize_model(golden("qwen2-window"), {}, 5));
  EXPECT_EQ(facts["layers"], (Json{{"count", 4}, {"full", 2}, {"sliding", 2}, {"window", 7}}));
  EXPECT_EQ(facts["parts"], Json::array({"bias on q, k, v"}));
  EXPECT_EQ(facts["bytes_per_token"]["token"], 56 * 2);
  facts = facts_of(summarize_model(golden("mistral-window"), {}, 5));
  EXPECT_EQ(facts["layers"]["sliding"], 4);
  facts = facts_of(summarize_model(golden("llama-untied"), {}, 5));
  EXPECT_EQ(facts["tied_head"], false);
}

/// A copy of qwen3-fp32 whose files a test may change.
class SpoiledModel : public testing::Test {
 protected:
  SpoiledModel() {
    for (const char* name : {"config.json", "model.safetensors"}) {
      write_text(path() / name, read_text(golden("qwen3-fp32") / name));
    }
    config_ = read_json_file(path() / "config.json");
  }
  [[nodiscard]] fs::path path() const { return folder_.path(); }
  [[nodiscard]] ModelSummary summary(std::optional<int64_t> captured = {}) const {
    write_text(path() / "config.json", config_.dump());
    return summarize_model(path(), captured, 5);
  }
  TempFolder folder_;
  Json config_;
};

TEST_F(SpoiledModel, StopTokensAreJoined) {
  write_text(path() / "generation_config.json", R"({"eos_token_id": [3, 7]})");
  EXPECT_EQ(facts_of(summary())["stop_tokens"], Json::array({2, 3, 7}));
  write_text(path() / "generation_config.json", R"({"eos_token_id": "x"})");
  EXPECT_EQ(facts_of(summary())["stop_tokens"], Json::array({2, 3}));
  EXPECT_TRUE(has_problem(summary(), "generation_config.json"));
  fs::remove(path() / "generation_config.json");
  fs::create_symlink("generation_config.json", path() / "generation_config.json");
  EXPECT_TRUE(has_problem(summary(), "generation_config.json"));
}

TEST_F(SpoiledModel, DefaultDrafterCapturesFive) {
  config_["num_hidden_layers"] = 36;
  auto facts = facts_of(summary());
  EXPECT_EQ(facts["captured_layers"], Json::array({1, 9, 17, 25, 33}));  // dflash-semantics 1.5
  EXPECT_EQ(facts["bytes_per_token"]["token"], 5 * 48 * 4);
  facts = facts_of(summary(3));
  EXPECT_EQ(facts["captured_layers"], Json::array({1, 17, 33}));
  expect_error(ErrorKind::config, "allows 1 to 33", [&] { (void)summary(34); });
  expect_error(ErrorKind::config, "allows 1 to 33", [&] { (void)summary(0); });
}

TEST_F(SpoiledModel, TooFewLayersCaptureNothing) {
  config_["num_hidden_layers"] = 2;
  EXPECT_EQ(facts_of(summary())["captured_layers"], Json::array());
}

TEST_F(SpoiledModel, TensorsThatDoNotFit) {
  config_["num_hidden_layers"] = 5;
  EXPECT_TRUE(has_problem(summary(), "tensors are missing: 11: model.layers.4."));
  config_["num_hidden_layers"] = 3;
  const ModelSummary told = summary();
  EXPECT_TRUE(told.problems.empty()) << "loading passes over what it has no use for";
  EXPECT_EQ(facts_of(told)["unused_tensors"].size(), 11u);
  EXPECT_EQ(facts_of(told)["unused_tensors"][0], "model.layers.3.input_layernorm.weight");
  config_["num_hidden_layers"] = 4;
  config_["intermediate_size"] = 103;
  EXPECT_TRUE(has_problem(summary(), "mlp.down_proj.weight [48, 104] instead of [48, 103]"));
}

TEST_F(SpoiledModel, TensorsThatTheIndexLeavesOut) {
  fs::remove(path() / "model.safetensors");
  for (const auto& entry : fs::directory_iterator(golden("qwen3-sharded"))) {
    write_text(path() / entry.path().filename(), read_text(entry.path()));
  }
  Json index = read_json_file(path() / "model.safetensors.index.json");
  index["weight_map"].erase("model.norm.weight");
  write_text(path() / "model.safetensors.index.json", index.dump());
  EXPECT_TRUE(has_problem(summary(), "tensors are missing: 1: model.norm.weight"));
  EXPECT_EQ(facts_of(summary())["unused_tensors"], Json::array({"model.norm.weight"}));
  EXPECT_EQ(facts_of(summary())["parameters"]["tensors"], 45);
}

/// The folder leads to itself: even asking what it is fails.
TEST(ModelSummary, AFolderThatCannotBeLookedAt) {
  const TempFolder folder;
  fs::create_symlink("loop", folder.path() / "loop");
  expect_error(ErrorKind::input_file, "loop", [&] { (void)summarize_model(folder.path() / "loop", {}, 5); });
}

TEST_F(SpoiledModel, AnAbsentHeadIsNoProblem) {
  config_["tie_word_embeddings"] = false;
  const ModelSummary told = summary();
  EXPECT_TRUE(told.problems.empty());
  EXPECT_EQ(facts_of(told)["tied_head"], true);
}

TEST_F(SpoiledModel, WeightsThatAreNotWhole) {
  fs::remove(path() / "model.safetensors");
  EXPECT_TRUE(has_problem(summary(), "no weights here"));
  EXPECT_EQ(facts_of(summary())["family"], "qwen3");
  for (const auto& entry : fs::directory_iterator(golden("qwen3-sharded"))) {
    write_text(path() / entry.path().filename(), read_text(entry.path()));
  }
  EXPECT_TRUE(summary().problems.empty());
  fs::remove(path() / "model-00002-of-00003.safetensors");
  EXPECT_TRUE(has_problem(summary(), "model-00002-of-00003.safetensors"));
  EXPECT_TRUE(has_problem(summary(), "tensors are missing"));
  EXPECT_EQ(facts_of(summary())["parameters"]["files"], 2);
}

TEST_F(SpoiledModel, TheLargestSizes) {
  for (const char* key : {"hidden_size", "intermediate_size", "num_attention_heads", "num_key_value_heads", "head_dim",
                          "vocab_size", "max_position_embeddings"}) {
    config_[key] = int64_t{1} << 31;
  }
  config_["num_hidden_layers"] = 500;
  EXPECT_FALSE(summary(497).problems.empty());
  const SummaryFact most = bytes_per_token_fact(kMostLayers, kLargestSize, DType::f32);
  EXPECT_EQ(most.value["pack_of_4096"], 10000 * (int64_t{1} << 45));
}

}  // namespace
}  // namespace dflash
