// By what a reader knows the drafter: format, architecture, and keys that make it another network.
#include "common/base/format.h"
#include "common/hf/export_rules/raw_values.h"
#include "common/hf/export_rules/rule_groups.h"
#include "common/hf/switch_keys.h"

namespace dflash {
namespace {

void check_model_type(const RawDrafter& drafter, RuleList& rules) {
  const Json& top = raw_member(drafter.config, "model_type");
  if (!drafter.speculators) {
    rules.check("model type", top == "qwen3", "qwen3",
                format("model_type is {}: readers take the body's class from it; write \"qwen3\"", shown(top)));
    return;
  }
  const Json& marker = raw_member(drafter.config, "speculators_model_type");
  rules.check("format marker", marker == "dflash", "speculators_model_type dflash",
              format("speculators_model_type is {}: speculators and vLLM build another network; write \"dflash\"",
                     shown(marker)));
  const Json& inside = raw_member(drafter.body(), "model_type");
  rules.check("model type", top.is_null() && inside == "qwen3", "qwen3 inside transformer_layer_config alone",
              format("model_type is {} at the top level and {} inside transformer_layer_config: the format has none at "
                     "the top and \"qwen3\" inside",
                     shown(top), shown(inside)));
}

void check_architecture(const RawDrafter& drafter, RuleList& rules) {
  const Json& names = raw_member(drafter.config, "architectures");
  if (drafter.speculators && names == Json::array({"DFlashSpeculator"})) {
    rules.note("architecture name", "DFlashSpeculator, as older speculators wrote it; 0.9.0 writes DFlashDraftModel");
    return;
  }
  rules.check("architecture name", names == Json::array({"DFlashDraftModel"}), "DFlashDraftModel",
              format("architectures is {}: vLLM and SGLang refuse names they do not know, the z-lab package takes all "
                     "but DFlash2 for plain DFlash; write [\"DFlashDraftModel\"]",
                     shown(names)));
}

/// "dflash.DFlashDraftModel" is the class DFlashDraftModel of dflash.py; "owner/name--file.Class" lies elsewhere.
bool names_absent_file(const RawDrafter& drafter, const std::string& place) {
  return place.find("--") == std::string::npos &&
         !drafter.file_names.contains(place.substr(0, place.find('.')) + ".py");
}

void check_auto_map(const RawDrafter& drafter, RuleList& rules) {
  const Json& map = raw_member(drafter.config, "auto_map");
  std::vector<std::string> absent;
  if (map.is_object()) {
    for (const auto& item : map.items()) {
      const Json entries = item.value().is_array() ? item.value() : Json::array({item.value()});
      for (const Json& place : entries) {
        if (!place.is_null() && names_absent_file(drafter, raw_text(place))) absent.push_back(shown(place));
      }
    }
  }
  rules.check("auto_map", absent.empty() && (map.is_object() || map.is_null()),
              map.is_null() ? "absent" : "its files are in the folder",
              format("auto_map names {}: transformers looks for a file that is not in the folder; remove the key",
                     absent.empty() ? shown(map) : format("{}", join(absent, ", "))));
}

void check_foreign_keys(const RawDrafter& drafter, RuleList& rules) {
  std::vector<std::string> found;
  std::vector<const Json*> places{&drafter.config, &drafter.nested()};
  if (drafter.speculators) places.push_back(&drafter.body());
  for (const Json* place : places) {
    if (!place->is_object()) continue;
    for (const std::string& key : keys_of_another_network(*place)) {
      const bool own_rule = key == "sample_from_anchor" || key == "use_aux_hidden_state";
      if (!own_rule) found.push_back(format("{} = {}", shown(key), shown(raw_member(*place, key))));
    }
  }
  rules.check("no key of another network", found.empty(), "none",
              format("{}: at least one reader builds another network; remove what the drafter was not trained with",
                     join(found, ", ")));
}

/// The value in any place it may stand in; the last that is no null.
const Json& any_place(const RawDrafter& drafter, const char* key) {
  const Json* found = &raw_member(drafter.config, key);
  for (const Json* place : {&drafter.nested(), &drafter.body()}) {
    if (!raw_member(*place, key).is_null()) found = &raw_member(*place, key);
  }
  return *found;
}

}  // namespace

void check_markers(const RawDrafter& drafter, RuleList& rules) {
  check_model_type(drafter, rules);
  check_architecture(drafter, rules);
  check_auto_map(drafter, rules);
  check_foreign_keys(drafter, rules);
  const Json& anchor = any_place(drafter, "sample_from_anchor");
  rules.check("sample_from_anchor", anchor.is_null() || anchor == false, "false or absent",
              format("is {}: vLLM refuses it; a plain drafter predicts from slot 1 on, write false", shown(anchor)));
  const Json& aux = any_place(drafter, "use_aux_hidden_state");
  rules.check("use_aux_hidden_state", aux.is_null() || aux == true, "true or absent",
              format("is {}: vLLM skips fc in silence; remove the key", shown(aux)));
}

}  // namespace dflash
