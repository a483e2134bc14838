// Block size, draft length, mask token: present, where every reader looks, and within range.
#include "common/base/format.h"
#include "common/hf/export_rules/raw_values.h"
#include "common/hf/export_rules/rule_groups.h"

namespace dflash {
namespace {

constexpr int64_t kLeastBlock = 2;

bool is_block(const Json& value) {
  return raw_integer(value).value_or(0) >= kLeastBlock;
}

void check_block_size(const RawDrafter& drafter, RuleList& rules) {
  const Json& top = raw_member(drafter.config, "block_size");
  if (drafter.speculators) {
    return rules.check("block size", is_block(top), shown(top),
                       format("block_size is {}: speculators takes 8 for an absent one in silence; write an integer "
                              "from {} on",
                              shown(top), kLeastBlock));
  }
  const Json& inside = raw_member(drafter.nested(), "block_size");
  rules.check("block size", is_block(top) && top == inside, format("{} in both places", shown(top)),
              format("{} at the top level, {} in dflash_config: readers look in one or the other and take 16 in "
                     "silence; write the same integer from {} on in both",
                     shown(top), shown(inside), kLeastBlock));
}

void check_draft_length(const RawDrafter& drafter, RuleList& rules) {
  const Json& methods = raw_member(raw_member(drafter.config, "speculators_config"), "proposal_methods");
  const Json& tokens = raw_member(raw_element(methods, 0), "speculative_tokens");
  const auto block = block_size_of(drafter);
  if (!block) return;
  rules.check("speculative tokens", tokens == *block - 1, format("{} = block size - 1", shown(tokens)),
              format("proposal_methods[0].speculative_tokens is {}: vLLM drafts that many, a block of {} holds {}; "
                     "write {}",
                     shown(tokens), *block, *block - 1, *block - 1));
}

void check_mask_token(const RawDrafter& drafter, RuleList& rules) {
  const char* place = drafter.speculators ? "the top level" : "dflash_config";
  const Json& mask = raw_member(drafter.speculators ? drafter.config : drafter.nested(), "mask_token_id");
  rules.check(
      "mask token written", raw_integer(mask).has_value(), shown(mask),
      format("mask_token_id in {} is {}: vLLM and speculators refuse, SGLang adds a token to the tokenizer, the "
             "z-lab package fails at the first block; write the id there",
             place, shown(mask)));
  const auto id = mask_token_of(drafter), vocabulary = size_of(drafter, "vocab_size");
  if (!id || !vocabulary) return;
  rules.check("mask token in vocabulary", 0 <= *id && *id < *vocabulary, format("{} of {}", *id, *vocabulary),
              format("{} is no row of an embedding of {}: SGLang refuses, the others fail at the first block; use an "
                     "existing row that no text uses",
                     *id, *vocabulary));
}

}  // namespace

void check_block(const RawDrafter& drafter, RuleList& rules) {
  check_block_size(drafter, rules);
  if (drafter.speculators) check_draft_length(drafter, rules);
  check_mask_token(drafter, rules);
}

}  // namespace dflash
