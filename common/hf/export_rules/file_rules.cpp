// The weight files: one model.safetensors or an index with its shards, and no others beside it.
#include <algorithm>

#include "common/base/format.h"
#include "common/hf/export_rules/rule_groups.h"
#include "common/hf/names_text.h"

namespace dflash {
namespace {

constexpr const char* kMaskFile = "mask_embedding.pt";

std::vector<std::string> other_weight_files(const RawDrafter& drafter) {
  std::vector<std::string> others;
  for (const std::string& name : drafter.file_names) {
    const bool weights = name.ends_with(".safetensors") || name.ends_with(".bin") || name.ends_with(".pt");
    const bool own = std::ranges::find(drafter.weights.files, name) != drafter.weights.files.end();
    if (weights && !own && name != kMaskFile) others.push_back(name);
  }
  return others;
}

std::vector<std::string> files_without_format(const WeightHeaders& weights) {
  std::vector<std::string> files;
  for (const auto& [file, metadata] : weights.metadata_of) {
    const auto format_name = metadata.find("format");
    if (format_name == metadata.end() || format_name->second != "pt") files.push_back(file);
  }
  return files;
}

std::vector<std::string> weight_complaints(const WeightHeaders& weights) {
  std::vector<std::string> complaints = weights.problems;
  if (weights.strays.empty()) return complaints;
  complaints.push_back(
      format("tensors in shards where the index does not put them: {}; some readers load all that lies "
             "there, others go by the index; write the index anew",
             names_text(weights.strays)));
  return complaints;
}

}  // namespace

void check_files(const RawDrafter& drafter, RuleList& rules) {
  const auto complaints = weight_complaints(drafter.weights);
  rules.check("weight files", complaints.empty(), format("{}", join(drafter.weights.files, ", ")),
              format("{}", join(complaints, "; ")));
  const auto without = files_without_format(drafter.weights);
  if (!drafter.weights.metadata_of.empty()) {
    rules.check("safetensors metadata", without.empty(), R"({"format": "pt"})",
                format("no {{\"format\": \"pt\"}} in {}: several releases of transformers refuse such a file",
                       names_text(without)));
  }
  const auto others = other_weight_files(drafter);
  rules.check(
      "no other weight files", others.empty(), "none",
      format("{}: vLLM and SGLang load what lies beside the weights as well; move them away", names_text(others)));
  rules.check(
      "no mask_embedding.pt", !drafter.file_names.contains(kMaskFile), "absent",
      "mask_embedding.pt is there: vLLM and SGLang replace the mask row by it, the z-lab package and speculators "
      "do not; remove it");
}

}  // namespace dflash
