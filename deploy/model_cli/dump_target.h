// `dflash dump target`: what our forward computes for given rows, in the files of golden/target.
#pragma once

#include <string>

namespace dflash {

struct DumpTargetSettings {
  std::string target;  // Hugging Face folder
  std::string input;   // safetensors: input_ids [B,T]; optional attention_mask, position_ids, document_ids [B,T]
  std::string output;
  std::string dtype = "float32";
};

/// Writes hidden.embed, hidden.layer{i}, hidden.final [B,T,H] in the dtype computed in, and logits [B,T,V] in float32;
/// zeros where attention_mask is 0 or document_ids is -1. Error{input_file} for input that does not fit the target.
void dump_target(const DumpTargetSettings& settings);

}  // namespace dflash
