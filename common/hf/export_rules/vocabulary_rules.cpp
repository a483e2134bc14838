// The whole vocabulary, or a reduced one with the tensors that map it (speculators format alone).
#include "common/base/format.h"
#include "common/hf/export_rules/raw_values.h"
#include "common/hf/export_rules/rule_groups.h"
#include "common/hf/tensor_shapes.h"

namespace dflash {
namespace {

struct MapTensor {
  const char* name;
  std::vector<int64_t> shape;
  std::optional<DType> dtype;  // nothing: that of the weights
};

std::string complaint_of(const RawDrafter& drafter, const MapTensor& wanted) {
  const auto place = drafter.weights.tensors.find(wanted.name);
  if (place == drafter.weights.tensors.end()) return format("{} is missing", wanted.name);
  const StoredTensor& have = place->second;
  if (have.shape == wanted.shape && (!wanted.dtype || have.dtype == *wanted.dtype)) return "";
  const std::string dtype(wanted.dtype ? dtype_code(*wanted.dtype) : "");
  return format("{} is {} {}, expected {} {}", wanted.name, dtype_code(have.dtype), shape_text(have.shape), dtype,
                shape_text(wanted.shape));
}

void check_reduced_tensors(const RawDrafter& drafter, RuleList& rules) {
  const auto draft = raw_integer(raw_member(drafter.config, "draft_vocab_size"));
  const auto whole = size_of(drafter, "vocab_size"), hidden = size_of(drafter, "hidden_size");
  if (!draft || !whole || !hidden || drafter.weights.tensors.empty()) return;
  std::vector<std::string> complaints;
  for (const MapTensor& wanted : {MapTensor{"lm_head.weight", {*draft, *hidden}, {}},
                                  MapTensor{"d2t", {*draft}, DType::i64}, MapTensor{"t2d", {*whole}, DType::boolean}}) {
    const std::string complaint = complaint_of(drafter, wanted);
    if (!complaint.empty()) complaints.push_back(complaint);
  }
  rules.check("reduced vocabulary tensors", complaints.empty(), "lm_head.weight, d2t, t2d",
              format("{}: vLLM needs lm_head and d2t, speculators refuses without t2d", join(complaints, "; ")));
}

void check_no_map_tensors(const RawDrafter& drafter, RuleList& rules) {
  const auto& tensors = drafter.weights.tensors;
  rules.check("no vocabulary maps", !tensors.contains("d2t") && !tensors.contains("t2d"), "neither d2t nor t2d",
              "d2t or t2d stands in the file of a whole vocabulary: readers that find it may reduce the vocabulary; "
              "remove it");
}

}  // namespace

void check_vocabulary(const RawDrafter& drafter, RuleList& rules) {
  const Json& draft = raw_member(drafter.config, "draft_vocab_size");
  const auto whole = size_of(drafter, "vocab_size");
  const auto size = raw_integer(draft);
  const bool reduced = has_reduced_vocabulary(drafter);
  if (!drafter.speculators) {
    rules.check("whole vocabulary", draft.is_null() || !whole || draft == *whole, "no other draft_vocab_size",
                format("draft_vocab_size is {}: this format has whole vocabularies alone; SGLang and the z-lab package "
                       "do not read it",
                       shown(draft)));
  } else {
    rules.check(
        "draft_vocab_size", size && *size >= 1 && (!whole || *size <= *whole), shown(draft),
        format("is {}: absent means 32000 to speculators; write the vocabulary's size or a smaller one", shown(draft)));
  }
  if (drafter.speculators && reduced) {
    check_reduced_tensors(drafter, rules);
  } else {
    check_no_map_tensors(drafter, rules);
  }
}

}  // namespace dflash
