// A case of golden/drafter, loaded: the drafter, the target's frozen ends, and the pack as a hidden-state batch.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "common/model/drafter_model.h"
#include "common/model/target_model.h"
#include "tests/support/golden.h"

namespace dflash::test {

struct GoldenDrafter {
  explicit GoldenDrafter(const std::string& name)
      : description(golden_case("drafter/" + name)),
        config(read_drafter_config(golden_folder("drafter/" + name))),
        parameters(config),
        io(golden_tensors("drafter/" + name, "io.safetensors")) {
    parameters.load(golden_tensors("drafter/" + name, "model.safetensors"));
    const Tensors frozen = golden_tensors("drafter/" + name, "frozen.safetensors");
    ends = {frozen.at("model.embed_tokens.weight"), frozen.at("lm_head.weight")};
    batch.sequence = 0;
    batch.input_ids = io.at("input_ids").to(at::kInt);
    batch.document_ids = io.at("document_ids").to(at::kInt);
    batch.position_ids = io.at("position_ids").to(at::kInt);
    batch.loss_mask = io.at("loss_mask").to(at::kByte);
    batch.captured = io.at("hidden_states");
    rules = block_rules(config, description["gamma"].get<double>());
  }

  /// Rows of a list of anchors [A] (all, or only those whose keep flag is set).
  [[nodiscard]] static std::vector<int64_t> anchor_rows(const at::Tensor& anchors, const at::Tensor& keep = {}) {
    std::vector<int64_t> rows;
    for (int64_t n = 0; n < anchors.numel(); ++n) {
      if (!keep.defined() || keep[n].item<int64_t>() != 0) rows.push_back(anchors[n].item<int64_t>());
    }
    return rows;
  }

  Json description;
  DrafterConfig config;
  DrafterParameters parameters;
  Tensors io;
  TargetEnds ends;
  HiddenStateBatch batch;
  BlockRules rules;
};

}  // namespace dflash::test
