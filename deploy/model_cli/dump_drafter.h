// `dflash dump drafter`: what our drafter computes for given anchors, forward, losses and gradients, in the files of
// golden/drafter.
#pragma once

#include <optional>
#include <string>

namespace dflash {

struct DumpDrafterSettings {
  std::string drafter;  // folder: config.json and model.safetensors
  std::string frozen;   // safetensors: model.embed_tokens.weight; lm_head.weight unless tied
  std::string input;    // safetensors: the packed row, its captured states, anchors
  std::string output;
  std::optional<double> decay_gamma;  // default: that of the block size
};

/// Computes in fp32 with the code of a training step. Writes the tensors of golden/drafter/README.md in its shapes and
/// dtypes; gradients are those of loss_sum / weight_sum, all zero when nothing is supervised. Error{input_file} for
/// input that does not fit.
void dump_drafter(const DumpDrafterSettings& settings);

}  // namespace dflash
