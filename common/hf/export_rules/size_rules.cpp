// Every size is written out: an absent one is never an error in the Qwen3 config class, it is a default.
#include <array>

#include "common/base/format.h"
#include "common/hf/config_fields.h"
#include "common/hf/export_rules/raw_values.h"
#include "common/hf/export_rules/rule_groups.h"

namespace dflash {
namespace {

constexpr std::array kSizes{"hidden_size",         "intermediate_size", "num_hidden_layers", "num_attention_heads",
                            "num_key_value_heads", "head_dim",          "vocab_size",        "max_position_embeddings"};

std::vector<std::string> absent_sizes(const RawDrafter& drafter) {
  std::vector<std::string> absent;
  for (const char* key : kSizes) {
    if (raw_member(drafter.body(), key).is_null()) absent.emplace_back(key);
  }
  if (raw_member(drafter.body(), "rms_norm_eps").is_null()) absent.emplace_back("rms_norm_eps");
  return absent;
}

std::vector<std::string> malformed_sizes(const RawDrafter& drafter) {
  std::vector<std::string> wrong;
  for (const char* key : kSizes) {
    const Json& value = raw_member(drafter.body(), key);
    const int64_t most = std::string_view(key) == "num_hidden_layers" ? kMostLayers : kLargestSize;
    if (!value.is_null() && !is_integer_within(value, 1, most)) wrong.push_back(format("{} {}", key, shown(value)));
  }
  const Json& eps = raw_member(drafter.body(), "rms_norm_eps");
  if (!eps.is_null() && !raw_positive(eps)) wrong.push_back(format("rms_norm_eps {}", shown(eps)));
  return wrong;
}

void check_fit(const RawDrafter& drafter, RuleList& rules) {
  const auto heads = size_of(drafter, "num_attention_heads"), groups = size_of(drafter, "num_key_value_heads");
  const auto width = size_of(drafter, "head_dim");
  if (!heads || !groups || !width) return;
  rules.check("sizes fit each other", *heads % *groups == 0 && *width % 2 == 0,
              format("{} heads over {} key/value heads of {}", *heads, *groups, *width),
              format("{} heads, {} key/value heads of width {}: the second must divide the first, the width be even",
                     *heads, *groups, *width));
}

}  // namespace

void check_sizes(const RawDrafter& drafter, RuleList& rules) {
  const auto absent = absent_sizes(drafter), wrong = malformed_sizes(drafter);
  const char* harm = drafter.speculators
                         ? "vLLM refuses, speculators takes defaults in silence"
                         : "all readers take defaults in silence (4096 wide, 32 layers, head width 128)";
  std::string complaint = format("absent: {}: {}; write them into {}", join(absent, ", "), harm,
                                 drafter.speculators ? "transformer_layer_config" : "the top level");
  if (absent.empty()) complaint = format("not usable: {}", join(wrong, ", "));
  rules.check("sizes written", absent.empty() && wrong.empty(), "all", complaint);
  check_fit(drafter, rules);
  if (const auto positions = size_of(drafter, "max_position_embeddings")) {
    rules.note("positions", format("{}: must cover the length served (SGLang refuses more, vLLM widens plain rope); "
                                   "copy the target's",
                                   *positions));
  }
}

}  // namespace dflash
