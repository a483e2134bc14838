#include "common/hf/layer_types.h"

#include <algorithm>
#include <utility>

#include "common/base/format.h"

namespace dflash {
namespace {

LayerType read_layer_type(const ConfigFields& fields, const Json& name) {
  for (const LayerType type : {LayerType::full_attention, LayerType::sliding_attention}) {
    if (name == layer_type_name(type)) return type;
  }
  fields.refuse("layer_types", format("holds {}: only full_attention and sliding_attention are computed", name.dump()));
}

}  // namespace

std::string_view layer_type_name(LayerType type) {
  return type == LayerType::full_attention ? "full_attention" : "sliding_attention";
}

std::optional<std::vector<LayerType>> read_layer_types(const ConfigFields& fields, int64_t num_hidden_layers) {
  if (!fields.has("layer_types")) return std::nullopt;
  const Json& names = fields.value("layer_types");
  if (!names.is_array()) fields.refuse("layer_types", "expected a list");
  if (names.empty()) return std::nullopt;
  if (std::cmp_not_equal(names.size(), num_hidden_layers)) {
    fields.refuse("layer_types", format("has {} entries for {} layers", names.size(), num_hidden_layers));
  }
  std::vector<LayerType> types;
  for (const Json& name : names) types.push_back(read_layer_type(fields, name));
  return types;
}

bool any_slides(const std::vector<LayerType>& types) {
  return std::ranges::find(types, LayerType::sliding_attention) != types.end();
}

bool any_full(const std::vector<LayerType>& types) {
  return std::ranges::find(types, LayerType::full_attention) != types.end();
}

}  // namespace dflash
