// Which layers slide, and over how many rows.
#include "common/base/error.h"
#include "common/base/format.h"
#include "common/hf/export_rules/raw_values.h"
#include "common/hf/export_rules/rule_groups.h"

namespace dflash {
namespace {

/// What is wrong with layer_types; "" when nothing.
std::string layer_types_complaint(const RawDrafter& drafter) {
  const auto layers = size_of(drafter, "num_hidden_layers");
  if (!layers || *layers > kMostLayers) return "";
  try {
    (void)read_layer_types(ConfigFields(drafter.body(), "config.json"), *layers);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

void check_layer_types(const RawDrafter& drafter, RuleList& rules) {
  const Json& types = raw_member(drafter.body(), "layer_types");
  const bool used = raw_flag(raw_member(drafter.body(), "use_sliding_window")).value_or(false);
  if (!types.is_null()) {
    const std::string complaint = layer_types_complaint(drafter);
    rules.check("layer types", complaint.empty(), format("{} entries", types.size()),
                format("{}; readers that check it refuse, the others serve another network", complaint));
  } else if (used) {
    rules.fail("layer types",
               "absent while use_sliding_window is true: the Qwen3 config class makes layers slide by "
               "max_window_layers, other readers none; write layer_types");
  } else {
    rules.note("layer types", "absent: all readers take full attention; write them out");
  }
}

void check_window_sizes(const RawDrafter& drafter, RuleList& rules) {
  const Json& used = raw_member(drafter.body(), "use_sliding_window");
  rules.check("use_sliding_window", used == true, "true",
              format("is {} while layers slide: the Qwen3 config class drops the window; vLLM and SGLang then refuse, "
                     "the z-lab package attends to everything; write true",
                     shown(used)));
  const auto window = size_of(drafter, "sliding_window");
  rules.check("sliding_window written", window.has_value(), shown(raw_member(drafter.body(), "sliding_window")),
              format("is {} while layers slide: expected the rows that such a layer sees",
                     shown(raw_member(drafter.body(), "sliding_window"))));
  const auto block = block_size_of(drafter);
  if (!window || !block) return;
  rules.check("window covers the block", *window >= *block, format("{} rows, block of {}", *window, *block),
              format("{} rows, block of {}: engines cut the block by the window, training does not; train with a "
                     "window of at least the block",
                     *window, *block));
}

}  // namespace

void check_windows(const RawDrafter& drafter, RuleList& rules) {
  check_layer_types(drafter, rules);
  const auto types = layer_types_of(drafter);
  if (!types || !any_slides(*types)) return;
  check_window_sizes(drafter, rules);
  if (any_full(*types))
    rules.note("mixed layers", "sliding and full: vLLM needs its V2 runner, which it chooses itself");
  if (drafter.speculators) {
    rules.note("window origin",
               "engines count the window from each position, speculators from the anchor for the whole "
               "block");
  }
}

}  // namespace dflash
