// Rules about files, rules against a target, what is only noted, and what a failed rule says.
#include <gtest/gtest.h>

#include "common/hf/export_rules/drafter_summary.h"
#include "tests/hf/drafter_folder_maker.h"
#include "tests/hf/safetensors_text.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

void expect_fails(const std::vector<RuleResult>& results, const Names& rules, const std::string& what) {
  EXPECT_EQ(rules_in_state(results, RuleState::fail), rules) << what;
}

TEST(ExportFiles, OtherWeightsBesideTheFile) {
  for (const char* name : {"pytorch_model.bin", "consolidated.safetensors", "optimizer.pt"}) {
    const auto results =
        check_parts(golden_export("zlab"), [&](const fs::path& folder) { write_text(folder / name, "x"); });
    expect_fails(results, {"no other weight files"}, name);
    EXPECT_NE(result_of(results, "no other weight files").found.find(name), std::string::npos);
  }
  const auto results =
      check_parts(golden_export("zlab"), [](const fs::path& folder) { write_text(folder / "mask_embedding.pt", "x"); });
  expect_fails(results, {"no mask_embedding.pt"}, "mask_embedding.pt");
}

TEST(ExportFiles, AFileThatAutoMapNamesMayBeThere) {
  DrafterParts parts = golden_export("zlab");
  parts.config["auto_map"] = {{"AutoModel", "dflash.DFlashDraftModel"}};
  const auto results = check_parts(parts, [](const fs::path& folder) { write_text(folder / "dflash.py", ""); });
  expect_fails(results, {}, "dflash.py is there");
}

TEST(ExportFiles, MetadataOfTheFormat) {
  const std::string header = R"({"norm.weight":{"dtype":"F32","shape":[48],"data_offsets":[0,192]}})";
  const auto results = check_parts(golden_export("zlab"), [&](const fs::path& folder) {
    write_text(folder / "model.safetensors", safetensors_text(header, 192));
  });
  expect_fails(results, {"safetensors metadata", "tensors present"}, "no metadata");
}

TEST(ExportFiles, BrokenAndMissingWeights) {
  const auto broken =
      check_parts(golden_export("zlab"), [](const fs::path& folder) { write_text(folder / "model.safetensors", "x"); });
  expect_fails(broken, {"weight files"}, "broken");
  const auto missing =
      check_parts(golden_export("zlab"), [](const fs::path& folder) { fs::remove(folder / "model.safetensors"); });
  expect_fails(missing, {"weight files"}, "missing");
  EXPECT_NE(result_of(missing, "weight files").found.find("no weights here"), std::string::npos);
}

/// Splits the weights into two shards with an index; the second shard may be left out.
void write_shards(const DrafterParts& parts, const fs::path& folder, bool both) {
  fs::remove(folder / "model.safetensors");
  DrafterParts shards[2] = {{parts.config, {}}, {parts.config, {}}};
  Json index{{"weight_map", Json::object()}};
  size_t next = 0;
  for (const auto& [name, view] : parts.tensors) {
    const size_t shard = next++ % 2;
    shards[shard].tensors[name] = view;
    index["weight_map"][name] = shard == 0 ? "a.safetensors" : "b.safetensors";
  }
  write_text(folder / "model.safetensors.index.json", index.dump());
  for (const size_t shard : {size_t{0}, size_t{1}}) {
    if (shard == 1 && !both) continue;
    shards[shard].write(folder);
    fs::rename(folder / "model.safetensors", folder / (shard == 0 ? "a.safetensors" : "b.safetensors"));
  }
}

TEST(ExportFiles, ShardsWithAnIndex) {
  const DrafterParts parts = golden_export("zlab");
  expect_fails(check_parts(parts, [&](const fs::path& folder) { write_shards(parts, folder, true); }), {}, "whole");
  const auto results = check_parts(parts, [&](const fs::path& folder) { write_shards(parts, folder, false); });
  expect_fails(results, {"weight files", "tensors present"}, "one shard missing");
  EXPECT_NE(result_of(results, "weight files").found.find("b.safetensors"), std::string::npos);
  const auto single = check_parts(parts, [&](const fs::path& folder) {
    write_shards(parts, folder, true);
    parts.write(folder);
  });
  expect_fails(single, {"no other weight files"}, "a single file beside the shards");
}

/// The golden z-lab drafter in two shards whose index `spoil` changes.
std::vector<RuleResult> check_with_index(const std::function<void(Json& weight_map)>& spoil) {
  const DrafterParts parts = golden_export("zlab");
  return check_parts(parts, [&](const fs::path& folder) {
    write_shards(parts, folder, true);
    Json index = read_json_file(folder / "model.safetensors.index.json");
    spoil(index["weight_map"]);
    write_text(folder / "model.safetensors.index.json", index.dump());
  });
}

TEST(ExportFiles, AnIndexThatPutsATensorIntoAnotherShard) {
  const auto results = check_with_index([](Json& weight_map) {
    Json& place = weight_map["fc.weight"];
    place = place == "a.safetensors" ? "b.safetensors" : "a.safetensors";
  });
  expect_fails(results, {"weight files", "tensors present"}, "fc.weight in the wrong shard");
  const std::string found = result_of(results, "weight files").found;
  EXPECT_NE(found.find("puts there are not in it: 1: fc.weight"), std::string::npos) << found;
  EXPECT_NE(found.find("does not put them: 1: fc.weight"), std::string::npos) << found;
}

TEST(ExportFiles, AnIndexThatLeavesATensorOut) {
  const auto results = check_with_index([](Json& weight_map) { weight_map.erase("norm.weight"); });
  expect_fails(results, {"weight files", "tensors present"}, "norm.weight without a place");
  const std::string found = result_of(results, "weight files").found;
  EXPECT_NE(found.find("does not put them: 1: norm.weight"), std::string::npos) << found;
  EXPECT_NE(result_of(results, "tensors present").found.find("missing 1: norm.weight"), std::string::npos);
}

TEST(WeightHeaders, IntegersAndFlagsAreNoParameters) {
  const TempFolder folder;
  DrafterParts parts;
  parts.config = Json::object();
  int64_t size = 1;
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::f8_e4m3, DType::f8_e5m2, DType::i64,
                            DType::i32, DType::i16, DType::i8, DType::u8, DType::boolean}) {
    parts.add(std::string(dtype_code(dtype)), {size}, dtype);
    size *= 2;
  }
  parts.write(folder.path());
  EXPECT_EQ(read_weight_headers(folder.path()).parameter_count(), 63);  // the first six
}

TEST(ExportFiles, NotesAreNoFailures) {
  DrafterParts parts = golden_export("zlab");
  parts.config.erase("is_causal");
  parts.config["dflash_config"].erase("causal");
  parts.config.erase("layer_types");
  parts.config["torch_dtype"] = "float32";
  parts.config.erase("dtype");
  parts.add("rotary_emb.inv_freq", {6});
  const auto results = check_parts(parts);
  expect_fails(results, {}, "an older z-lab folder");
  EXPECT_EQ(rules_in_state(results, RuleState::note),
            (Names{"positions", "layer types", "rule inside the block", "dtype written", "float32 weights"}));
}

TEST(ExportFiles, AgainstATarget) {
  const TempFolder folder;
  golden_export("zlab").write(folder.path());
  const RawDrafter drafter = read_raw_drafter(folder.path());
  ModelConfig target;
  target.vocab_size = 96;
  target.hidden_size = 48;
  target.num_hidden_layers = 4;
  target.max_position_embeddings = 4096;
  expect_fails(check_against_target(drafter, target), {}, "its own");
  const auto fails_for = [&](int64_t ModelConfig::* field, int64_t value) {
    ModelConfig other = target;
    other.*field = value;
    return rules_in_state(check_against_target(drafter, other), RuleState::fail);
  };
  EXPECT_EQ(fails_for(&ModelConfig::vocab_size, 97), Names{"target: vocab_size"});
  EXPECT_EQ(fails_for(&ModelConfig::vocab_size, 95), (Names{"target: vocab_size", "target: mask token"}));
  EXPECT_EQ(fails_for(&ModelConfig::hidden_size, 64), Names{"target: hidden_size"});
  EXPECT_EQ(fails_for(&ModelConfig::num_hidden_layers, 5), Names{"target: depth"});
  EXPECT_EQ(fails_for(&ModelConfig::num_hidden_layers, 3), (Names{"target: depth", "target: layer ids"}));
  EXPECT_EQ(fails_for(&ModelConfig::max_position_embeddings, 8192), Names{"target: positions"});
}

std::map<std::string, Json> facts_of(const DrafterParts& parts) {
  const TempFolder folder;
  parts.write(folder.path());
  std::map<std::string, Json> facts;
  for (const SummaryFact& fact : summarize_drafter(read_raw_drafter(folder.path()))) facts[fact.name] = fact.value;
  return facts;
}

TEST(DrafterSummary, TellsTheGoldenFolders) {
  auto facts = facts_of(golden_export("speculators_reduced"));
  EXPECT_EQ(facts["format"], "speculators");
  EXPECT_EQ(facts["family"], "DFlash");
  EXPECT_EQ(facts["sizes"]["hidden_size"], 64);
  EXPECT_EQ(facts["layers"]["full"], 2);
  EXPECT_EQ(facts["in_block"], "both ways");
  EXPECT_EQ(facts["captured_layers"], Json::array({1, 3}));  // 2, 4 as written there
  EXPECT_EQ(facts["mask_token_id"], 159);
  EXPECT_EQ(facts["block_size"], 4);
  EXPECT_EQ(facts["bytes_per_token"]["token"], 2 * 64 * 4);
  // 256672 bytes in all (tensors.json), of them 96 offsets of 8 and 160 flags of 1; the rest is float32.
  EXPECT_EQ(facts["parameters"]["bytes"], 256672);
  EXPECT_EQ(facts["parameters"]["count"], (256672 - 96 * 8 - 160) / 4);
  facts = facts_of(golden_export("zlab"));
  EXPECT_EQ(facts["format"], "z-lab");
  EXPECT_EQ(facts["captured_layers"], Json::array({0, 2}));
  EXPECT_EQ(facts["rope"], "theta 10000");
}

TEST(DrafterSummary, NamesTheVariants) {
  const auto family_with = [](const char* object, const char* key, const Json& value) {
    DrafterParts parts = golden_export("zlab");
    (std::string(object).empty() ? parts.config : parts.config[object])[key] = value;
    return facts_of(parts)["family"].get<std::string>();
  };
  EXPECT_TRUE(family_with("dflash_config", "projector_type", "domino").starts_with("Domino"));
  EXPECT_TRUE(family_with("dflash_config", "conv_kernel_size", 2).starts_with("DFlash 2"));
  EXPECT_TRUE(family_with("dflash_config", "causal", true).starts_with("JetSpec"));
  EXPECT_TRUE(family_with("", "is_causal", true).starts_with("JetSpec"));
  EXPECT_EQ(family_with("", "bos_token_id", 1), "DFlash");
}

}  // namespace
}  // namespace dflash
