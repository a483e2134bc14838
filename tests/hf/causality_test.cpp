// The rule inside the block: the tables of golden/export/README.md, and every combination of keys against what the
// readers do, spelled out layer by layer.
#include "common/hf/export_rules/causality.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/hf/drafter_folder_maker.h"

namespace dflash {
namespace {

using Flag = std::optional<bool>;
constexpr std::array<Flag, 3> kFlags{std::nullopt, false, true};

enum class Layers { full, sliding, mixed };
constexpr std::array kLayers{Layers::full, Layers::sliding, Layers::mixed};

void set_layers(Json& body, Layers layers) {
  const char* full = "full_attention";
  const char* sliding = "sliding_attention";
  body["layer_types"] = {layers == Layers::full ? full : sliding, layers == Layers::sliding ? sliding : full};
  if (layers == Layers::full) return;
  body["sliding_window"] = 16;
  body["use_sliding_window"] = true;
}

void set_flag(Json& object, const char* key, Flag flag) {
  object.erase(key);
  if (flag) object[key] = *flag;
}

RuleState zlab_state(Layers layers, Flag is_causal, Flag causal) {
  DrafterParts parts = golden_export("zlab");
  set_layers(parts.config, layers);
  set_flag(parts.config, "is_causal", is_causal);
  set_flag(parts.config["dflash_config"], "causal", causal);
  return result_of(check_parts(parts), "rule inside the block").state;
}

RuleState speculators_state(Layers layers, Flag is_causal, Flag non_causal) {
  DrafterParts parts = golden_export("speculators");
  Json& body = parts.config["transformer_layer_config"];
  set_layers(body, layers);
  set_flag(body, "is_causal", is_causal);
  set_flag(parts.config, "sliding_window_non_causal", non_causal);
  return result_of(check_parts(parts), "rule inside the block").state;
}

TEST(Causality, RowsOfTheTableForZlabFolders) {
  EXPECT_EQ(zlab_state(Layers::full, false, false), RuleState::pass);
  EXPECT_EQ(zlab_state(Layers::sliding, {}, {}), RuleState::pass);
  EXPECT_EQ(zlab_state(Layers::sliding, true, true), RuleState::pass);
  EXPECT_EQ(zlab_state(Layers::mixed, {}, {}), RuleState::pass);
  EXPECT_EQ(zlab_state(Layers::sliding, false, false), RuleState::pass);
  EXPECT_EQ(zlab_state(Layers::mixed, false, false), RuleState::pass);
  EXPECT_EQ(zlab_state(Layers::full, true, true), RuleState::pass);
  EXPECT_EQ(zlab_state(Layers::full, {}, {}), RuleState::note);
  EXPECT_EQ(zlab_state(Layers::full, {}, true), RuleState::fail);      // JetSpec without the key that is read
  EXPECT_EQ(zlab_state(Layers::sliding, {}, false), RuleState::fail);  // vLLM both ways, the others causal
}

TEST(Causality, RowsOfTheTableForSpeculatorsFolders) {
  EXPECT_EQ(speculators_state(Layers::full, false, true), RuleState::pass);
  EXPECT_EQ(speculators_state(Layers::sliding, {}, false), RuleState::pass);
  EXPECT_EQ(speculators_state(Layers::sliding, false, true), RuleState::pass);
  EXPECT_EQ(speculators_state(Layers::mixed, false, true), RuleState::pass);
  EXPECT_EQ(speculators_state(Layers::full, false, false), RuleState::note);  // as its own converter writes it
  EXPECT_EQ(speculators_state(Layers::full, {}, false), RuleState::fail);     // the trap
  EXPECT_EQ(speculators_state(Layers::mixed, {}, false), RuleState::fail);    // cannot be said
  EXPECT_EQ(speculators_state(Layers::full, true, false), RuleState::fail);   // causal full layers cannot be said
  EXPECT_EQ(speculators_state(Layers::sliding, {}, {}), RuleState::fail);     // absent: true to vLLM, false to itself
}

/// One layer's causality as each reader resolves it, from the README's sentences.
bool zlab_causal(bool slides, Flag is_causal) {
  if (is_causal.has_value()) return is_causal.value();
  return slides;
}
bool vllm_causal(bool slides, Flag is_causal, Flag causal) {
  if (is_causal.has_value()) return is_causal.value();
  if (causal.has_value()) return causal.value();
  return slides;
}
bool speculators_causal(bool slides, Flag non_causal) {
  return slides && !(non_causal.has_value() && non_causal.value());
}

/// Whether a fail is due: some layer is served otherwise by one reader than by another.
template <typename First, typename Second>
bool differs(Layers layers, First first, Second second) {
  bool differ = false;
  if (layers != Layers::full) differ |= first(true) != second(true);
  if (layers != Layers::sliding) differ |= first(false) != second(false);
  return differ;
}

TEST(Causality, EveryCombinationOfKeys) {
  for (const Layers layers : kLayers) {
    for (const Flag first : kFlags) {
      for (const Flag second : kFlags) {
        const bool zlab_differs = differs(
            layers, [&](bool slides) { return zlab_causal(slides, first); },
            [&](bool slides) { return vllm_causal(slides, first, second); });
        const bool contradicts = first && second && *first != *second;
        EXPECT_EQ(zlab_state(layers, first, second) == RuleState::fail, zlab_differs || contradicts)
            << static_cast<int>(layers) << testing::PrintToString(first) << testing::PrintToString(second);
        const Flag translated = !(second ? *second : true);
        const bool speculators_differ = differs(
            layers, [&](bool slides) { return speculators_causal(slides, second); },
            [&](bool slides) { return vllm_causal(slides, first, translated); });
        EXPECT_EQ(speculators_state(layers, first, second) == RuleState::fail, speculators_differ)
            << static_cast<int>(layers) << testing::PrintToString(first) << testing::PrintToString(second);
      }
    }
  }
}

}  // namespace
}  // namespace dflash
