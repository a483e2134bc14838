// DrafterParts: a drafter's folder in parts that a test may spoil, and the folder made of them.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/hf/drafter_config.h"
#include "common/hf/export_rules/export_rules.h"
#include "common/hf/safetensors.h"
#include "common/hf/tensor_shapes.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

namespace dflash {

struct DrafterParts {
  Json config;
  std::map<std::string, TensorView> tensors;  // shapes and dtypes; the weights are zeros

  void add(const std::string& name, std::vector<int64_t> shape, DType dtype = DType::f32) {
    tensors[name] = {dtype, std::move(shape), {}};
  }

  void write(const std::filesystem::path& folder) const {
    write_text(folder / "config.json", config.dump());
    static const std::vector<std::byte> zeros(size_t{1} << 20);
    std::map<std::string, TensorView> filled = tensors;
    for (auto& [name, view] : filled) {
      size_t bytes = dtype_bytes(view.dtype);
      for (const int64_t dimension : view.shape) bytes *= static_cast<size_t>(dimension);
      view.bytes = std::span(zeros).first(bytes);
    }
    write_safetensors(folder / "model.safetensors", filled);
  }
};

/// The golden export of that name, its tensors as tensors.json lists them.
inline DrafterParts golden_export(const std::string& name) {
  const auto folder = test::source_dir() / "tests" / "golden" / "export" / name;
  DrafterParts parts{read_json_file(folder / "config.json"), {}};
  const Json listed = read_json_file(folder / "tensors.json");
  for (const Json& tensor : listed["tensors"]) {
    parts.add(tensor["name"], tensor["shape"].get<std::vector<int64_t>>(),
              *dtype_from_code(tensor["dtype"].get<std::string>()));
  }
  return parts;
}

/// What our own export writes for this drafter.
inline DrafterParts own_export(const DrafterConfig& config) {
  DrafterParts parts{drafter_config_json(config), {}};
  for (const auto& [name, shape] : drafter_tensor_shapes(config)) parts.add(name, shape, config.dtype);
  return parts;
}

inline std::set<std::string> rules_in_state(const std::vector<RuleResult>& results, RuleState state) {
  std::set<std::string> rules;
  for (const RuleResult& result : results) {
    if (result.state == state) rules.insert(result.rule);
  }
  return rules;
}

/// Checks a folder made of the parts; `spoil` may change it before.
inline std::vector<RuleResult> check_parts(
    const DrafterParts& parts, const std::function<void(const std::filesystem::path&)>& spoil = [](const auto&) {}) {
  const TempFolder folder;
  parts.write(folder.path());
  spoil(folder.path());
  return check_drafter(read_raw_drafter(folder.path()));
}

inline const RuleResult& result_of(const std::vector<RuleResult>& results, const std::string& rule) {
  for (const RuleResult& result : results) {
    if (result.rule == rule) return result;
  }
  static const RuleResult kNone;
  ADD_FAILURE() << "no result for rule '" << rule << "'";
  return kNone;
}

}  // namespace dflash
