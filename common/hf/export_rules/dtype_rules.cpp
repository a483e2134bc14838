// The dtype that config.json names, and the dtype of the tensors.
#include "common/base/format.h"
#include "common/hf/export_rules/raw_values.h"
#include "common/hf/export_rules/rule_groups.h"
#include "common/hf/names_text.h"

namespace dflash {
namespace {

void check_written(const RawDrafter& drafter, RuleList& rules) {
  const Json& top = raw_member(drafter.config, "dtype");
  const Json& inside = raw_member(drafter.body(), "dtype");
  if (top.is_null() && dtype_of(drafter) && !drafter.speculators) {
    return rules.note("dtype written", "in torch_dtype, its older name");
  }
  const bool known = dtype_from_config_name(raw_text(top)).has_value();
  if (drafter.speculators) {
    return rules.check("dtype written", known && top == inside, format("{} at both levels", shown(top)),
                       format("dtype is {} at the top level, {} inside transformer_layer_config: write the tensors' "
                              "dtype at both",
                              shown(top), shown(inside)));
  }
  rules.check("dtype written", known, shown(top),
              format("dtype is {}: expected float32, bfloat16 or float16, the tensors' own", shown(top)));
}

void check_stored(const RawDrafter& drafter, DType dtype, RuleList& rules) {
  std::vector<std::string> others;
  for (const auto& [name, tensor] : drafter.weights.tensors) {
    const bool vocabulary_map = name == "d2t" || name == "t2d";  // integers and flags are never converted
    if (!vocabulary_map && tensor.dtype != dtype) {
      others.push_back(format("{} {}", name, dtype_code(tensor.dtype)));
    }
  }
  rules.check("stored dtype", others.empty(), format("{} as written", dtype_code(dtype)),
              format("config.json says {}, but {}: readers cast in silence; write the dtype that is stored",
                     config_dtype_name(dtype), names_text(others)));
}

}  // namespace

void check_dtypes(const RawDrafter& drafter, RuleList& rules) {
  check_written(drafter, rules);
  const auto dtype = dtype_of(drafter);
  if (!dtype || drafter.weights.tensors.empty()) return;
  check_stored(drafter, *dtype, rules);
  if (*dtype == DType::f32) {
    rules.note("float32 weights", "SGLang with dtype auto turns them into float16 in silence; bfloat16 stays");
  }
}

}  // namespace dflash
