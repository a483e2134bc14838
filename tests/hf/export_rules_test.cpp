// Right folders break no rule; a folder with one thing spoiled breaks the one rule that is about it.
#include "common/hf/export_rules/export_rules.h"

#include <gtest/gtest.h>

#include "tests/hf/drafter_folder_maker.h"

namespace dflash {
namespace {

using Names = std::set<std::string>;

struct Mutation {
  const char* rule;  // the one that must fail
  std::function<void(DrafterParts&)> spoil;
};

void expect_all_pass(const DrafterParts& parts, const Names& notes, const std::string& what) {
  const auto results = check_parts(parts);
  EXPECT_EQ(rules_in_state(results, RuleState::fail), Names()) << what;
  EXPECT_EQ(rules_in_state(results, RuleState::note), notes) << what;
}

void expect_each_fails_alone(const DrafterParts& whole, const std::vector<Mutation>& mutations) {
  for (size_t i = 0; i < mutations.size(); ++i) {
    DrafterParts parts = whole;
    mutations[i].spoil(parts);
    const auto results = check_parts(parts);
    EXPECT_EQ(rules_in_state(results, RuleState::fail), Names{mutations[i].rule}) << "mutation " << i;
  }
}

DrafterConfig golden_config() {
  return parse_drafter_config(golden_export("zlab").config, "config.json");
}

const LayerType kFull = LayerType::full_attention;
const LayerType kSliding = LayerType::sliding_attention;

DrafterParts sliding_export(std::vector<LayerType> types, std::optional<bool> is_causal) {
  DrafterConfig config = golden_config();
  config.layer_types = std::move(types);
  config.sliding_window = 16;
  config.is_causal = is_causal;
  config.dtype = DType::bf16;
  return own_export(config);
}

TEST(ExportRules, GoldenFoldersPass) {
  for (const char* name : {"zlab", "speculators", "speculators_reduced"}) {
    expect_all_pass(golden_export(name), {"positions", "float32 weights"}, name);
  }
}

TEST(ExportRules, OurOwnExportsPass) {
  DrafterConfig config = golden_config();
  expect_all_pass(own_export(config), {"positions", "float32 weights"}, "float32");
  config.dtype = DType::bf16;
  config.attention_bias = true;
  config.num_key_value_heads = 1;
  config.head_dim = 20;
  config.rope.type = RopeType::yarn;
  config.rope.factor = 4;
  config.rope.original_max_position_embeddings = 1024;
  expect_all_pass(own_export(config), {"positions"}, "bias, other heads, yarn");
  expect_all_pass(sliding_export({kSliding, kSliding}, {}), {"positions"}, "all sliding, causal");
  expect_all_pass(sliding_export({kSliding, kFull}, {}), {"positions", "mixed layers"}, "mixed");
  expect_all_pass(sliding_export({kSliding, kSliding}, false), {"positions"}, "all sliding, both ways");
  expect_all_pass(sliding_export({kFull, kFull}, true), {"positions"}, "causal full layers");
}

/// A key of the whole set, at the top level, in dflash_config or in transformer_layer_config.
Mutation set_key(const char* rule, const char* key, const Json& value) {
  return {rule, [=](DrafterParts& parts) { parts.config[key] = value; }};
}
Mutation set_inner(const char* rule, const char* object, const char* key, const Json& value) {
  return {rule, [=](DrafterParts& parts) { parts.config[object][key] = value; }};
}
Mutation drop_key(const char* rule, const char* key) {
  return {rule, [=](DrafterParts& parts) { parts.config.erase(key); }};
}
Mutation drop_inner(const char* rule, const char* object, const char* key) {
  return {rule, [=](DrafterParts& parts) { parts.config[object].erase(key); }};
}
Mutation add_tensor(const char* rule, const char* name, std::vector<int64_t> shape, DType dtype = DType::f32) {
  return {rule, [=](DrafterParts& parts) { parts.add(name, shape, dtype); }};
}
Mutation drop_tensor(const char* rule, const char* name) {
  return {rule, [=](DrafterParts& parts) { parts.tensors.erase(name); }};
}

std::vector<Mutation> sizes_mutations() {
  std::vector<Mutation> list;
  for (const char* key : {"hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads",
                          "num_key_value_heads", "head_dim", "vocab_size", "max_position_embeddings", "rms_norm_eps"}) {
    list.push_back(drop_key("sizes written", key));
    list.push_back(set_key("sizes written", key, "48"));
    list.push_back(set_key("sizes written", key, 0));
  }
  return list;
}

std::vector<Mutation> zlab_config_mutations() {
  const char* inner = "dflash_config";
  return {
      set_key("model type", "model_type", "dflash"),
      drop_key("model type", "model_type"),
      set_key("architecture name", "architectures", {"Qwen3DFlashDraftModel"}),
      drop_key("architecture name", "architectures"),
      set_key("auto_map", "auto_map", {{"AutoModel", "dflash.DFlashDraftModel"}}),
      set_key("auto_map", "auto_map", {{"AutoModel", Json::array({"dflash.DFlashDraftModel", Json()})}}),
      set_key("no key of another network", "final_logit_softcapping", 30),
      set_key("no key of another network", "is_neox_style", false),
      set_inner("no key of another network", inner, "conv_kernel_size", 2),
      set_inner("no key of another network", inner, "use_swa", true),
      set_key("sample_from_anchor", "sample_from_anchor", true),
      set_inner("use_aux_hidden_state", inner, "use_aux_hidden_state", false),
      {"sizes fit each other",
       [](DrafterParts& parts) {
         parts.config["num_key_value_heads"] = 3;
         for (auto& [name, view] : parts.tensors) {
           if (name.find("k_proj") != std::string::npos || name.find("v_proj") != std::string::npos) view.shape[0] = 36;
         }
       }},
      drop_key("rope_theta written", "rope_theta"),
      set_key("rope_theta written", "rope_theta", "1e6"),
      set_key("rope_theta equal", "rope_parameters", {{"rope_theta", 5e5}, {"rope_type", "default"}}),
      set_key("layer types", "layer_types", {"full_attention"}),
      set_key("layer types", "layer_types", {"full_attention", "linear_attention"}),
      {"layer types",
       [](DrafterParts& parts) {
         parts.config.erase("layer_types");
         parts.config["use_sliding_window"] = true;
       }},
      drop_key("block size", "block_size"),
      drop_inner("block size", inner, "block_size"),
      set_inner("block size", inner, "block_size", 16),
      drop_inner("mask token written", inner, "mask_token_id"),
      set_inner("mask token in vocabulary", inner, "mask_token_id", 96),
      set_inner("mask token in vocabulary", inner, "mask_token_id", -1),
      drop_inner("layer ids written", inner, "target_layer_ids"),
      set_key("layer ids written", "target_layer_ids", {0, 1}),
      set_inner("layer ids ascend", inner, "target_layer_ids", {2, 0}),
      set_inner("no layer id twice", inner, "target_layer_ids", {2, 2}),
      set_inner("layer ids within the target", inner, "target_layer_ids", {0, 4}),
      set_inner("layer ids within the target", inner, "target_layer_ids", {-1, 2}),
      set_inner("last layer not captured", inner, "target_layer_ids", {0, 3}),
      set_key("no eagle layer ids", "eagle_aux_hidden_state_layer_ids", {1, 3}),
      drop_key("target depth", "num_target_layers"),
      set_key("whole vocabulary", "draft_vocab_size", 32),
      set_inner("rule inside the block", inner, "causal", true),
      set_key("rule inside the block", "is_causal", true),
      set_key("rule inside the block", "is_causal", "no"),
      drop_key("dtype written", "dtype"),
      set_key("stored dtype", "dtype", "bfloat16"),
      set_key("fc width", "target_hidden_size", 64),
  };
}

std::vector<Mutation> tensor_mutations() {
  return {
      drop_tensor("tensors present", "layers.1.self_attn.q_norm.weight"),
      drop_tensor("tensors present", "fc.weight"),
      set_key("tensors present", "attention_bias", true),
      add_tensor("no unknown tensors", "layers.0.self_attn.q_proj.bias", {48}),
      add_tensor("no unknown tensors", "context_proj.weight", {48, 96}),
      add_tensor("tensor shapes", "norm.weight", {47}),
      set_key("tensor shapes", "intermediate_size", 65),
      add_tensor("fc width", "fc.weight", {48, 144}),
      add_tensor("stored dtype", "norm.weight", {48}, DType::bf16),
      add_tensor("no embedding, head or target norm", "embed_tokens.weight", {96, 48}),
      add_tensor("no embedding, head or target norm", "lm_head.weight", {96, 48}),
      add_tensor("no embedding, head or target norm", "verifier_norm.weight", {48}),
      add_tensor("no vocabulary maps", "t2d", {96}, DType::boolean),
      {"no model. prefix",
       [](DrafterParts& parts) {
         auto tensor = parts.tensors.extract("norm.weight");
         tensor.key() = "model.norm.weight";
         parts.tensors.insert(std::move(tensor));
       }},
  };
}

std::vector<Mutation> window_mutations() {
  return {
      set_key("use_sliding_window", "use_sliding_window", false),
      drop_key("use_sliding_window", "use_sliding_window"),
      set_key("sliding_window written", "sliding_window", Json()),
      set_key("window covers the block", "sliding_window", 7),
      set_inner("rule inside the block", "dflash_config", "causal", false),
  };
}

std::vector<Mutation> speculators_mutations() {
  const char* body = "transformer_layer_config";
  const auto in_verifier = [](const Json& name) {
    return Mutation{"verifier name", [=](DrafterParts& parts) {
                      parts.config["speculators_config"]["verifier"]["name_or_path"] = name;
                    }};
  };
  return {
      set_key("format marker", "speculators_model_type", "eagle3"),
      drop_key("format marker", "speculators_model_type"),
      set_key("model type", "model_type", "qwen3"),
      drop_inner("model type", body, "model_type"),
      set_key("architecture name", "architectures", {"LlamaForCausalLM"}),
      set_inner("no key of another network", body, "attention_sink_bias", true),
      set_key("sample_from_anchor", "sample_from_anchor", true),
      drop_inner("sizes written", body, "num_hidden_layers"),
      drop_inner("rope_theta written", body, "rope_parameters"),
      set_inner("rope_theta written", body, "rope_parameters", {{"rope_theta", 10000}}),
      set_inner("rope_theta equal", body, "rope_theta", 20000),
      drop_key("block size", "block_size"),
      {"speculative tokens",
       [](DrafterParts& parts) {
         parts.config["speculators_config"]["proposal_methods"][0]["speculative_tokens"] = 8;
       }},
      set_inner("speculative tokens", "speculators_config", "proposal_methods", Json::array()),
      set_key("mask token written", "mask_token_id", Json()),
      set_key("mask token in vocabulary", "mask_token_id", 200),
      drop_key("layer ids written", "aux_hidden_state_layer_ids"),
      set_key("layer ids ascend", "aux_hidden_state_layer_ids", {3, 1}),
      set_key("no layer id twice", "aux_hidden_state_layer_ids", {3, 3}),
      set_key("layer ids within the target", "aux_hidden_state_layer_ids", {0, 3}),
      set_key("no eagle layer ids", "eagle_aux_hidden_state_layer_ids", {1, 3}),
      drop_key("draft_vocab_size", "draft_vocab_size"),
      set_key("draft_vocab_size", "draft_vocab_size", 300),
      in_verifier(Json()),
      in_verifier("/models/tiny"),
      in_verifier("../tiny"),
      in_verifier("a/b/c"),
      drop_key("dtype written", "dtype"),
      set_inner("dtype written", body, "dtype", "bfloat16"),
      {"rule inside the block",  // the trap: vLLM serves full layers causal
       [](DrafterParts& parts) {
         parts.config["sliding_window_non_causal"] = false;
         parts.config["transformer_layer_config"].erase("is_causal");
       }},
  };
}

std::vector<Mutation> reduced_mutations() {
  const char* rule = "reduced vocabulary tensors";
  return {drop_tensor(rule, "d2t"),
          drop_tensor(rule, "t2d"),
          drop_tensor(rule, "lm_head.weight"),
          add_tensor(rule, "d2t", {96}, DType::i32),
          add_tensor(rule, "t2d", {96}, DType::boolean),
          add_tensor("no embedding, head or target norm", "embed_tokens.weight", {160, 64})};
}

TEST(ExportRules, EachSpoiledConfigBreaksOneRule) {
  expect_each_fails_alone(golden_export("zlab"), sizes_mutations());
  expect_each_fails_alone(golden_export("zlab"), zlab_config_mutations());
  expect_each_fails_alone(sliding_export({kSliding, kSliding}, {}), window_mutations());
}

TEST(ExportRules, EachSpoiledTensorBreaksOneRule) {
  expect_each_fails_alone(golden_export("zlab"), tensor_mutations());
}

TEST(ExportRules, EachSpoiledSpeculatorsFolderBreaksOneRule) {
  expect_each_fails_alone(golden_export("speculators"), speculators_mutations());
  expect_each_fails_alone(golden_export("speculators_reduced"), reduced_mutations());
}

TEST(ExportRules, EveryRuleIsSpoiledSomewhere) {
  Names spoiled{"weight files", "safetensors metadata", "no other weight files", "no mask_embedding.pt"};  // files test
  for (const auto& list : {sizes_mutations(), zlab_config_mutations(), tensor_mutations(), window_mutations(),
                           speculators_mutations(), reduced_mutations()}) {
    for (const Mutation& mutation : list) spoiled.insert(mutation.rule);
  }
  Names known;
  for (const DrafterParts& parts : {golden_export("zlab"), golden_export("speculators"),
                                    golden_export("speculators_reduced"), sliding_export({kSliding, kSliding}, {})}) {
    known.merge(rules_in_state(check_parts(parts), RuleState::pass));
  }
  known.insert("rope_theta equal");  // looked at when it stands in two places
  EXPECT_EQ(spoiled, known);
}

/// Only a list has a first method.
TEST(ExportRules, ProposalMethodsThatAreAnObject) {
  DrafterParts parts = golden_export("speculators");
  Json& methods = parts.config["speculators_config"]["proposal_methods"];
  const Json first = methods[0];
  methods = Json{{"", first}};
  EXPECT_EQ(result_of(check_parts(parts), "speculative tokens").state, RuleState::fail);
}

}  // namespace
}  // namespace dflash
