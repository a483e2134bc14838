// golden/target/qwen3-fp32 with its two texts as documents, and the slots of a batch of them.
#pragma once

#include "common/data/preloaded_dataset.h"
#include "common/model/target_model.h"
#include "common/tensor/hidden_state_batch.h"
#include "tests/support/golden.h"

namespace dflash::test {

struct GoldenTarget {
  static constexpr int64_t kTextTokens = 28;
  static constexpr int64_t kPackTokens = 64;  // both texts and 8 positions of padding

  /// The model stops behind layer 2, the deepest captured one.
  GoldenTarget()
      : config(read_model_config(golden_folder("target/qwen3-fp32"))),
        weights(golden_folder("target/qwen3-fp32")),
        model(config, weights, at::kFloat, 3),
        layout(make_batch_layout(kPackTokens, config.hidden_size, {0, 2}, DType::f32)),
        golden(golden_tensors("target/qwen3-fp32", "io.safetensors")) {}

  [[nodiscard]] std::vector<int32_t> text(int64_t row) const {
    const at::Tensor ids = golden.at("input_ids")[row].to(at::kInt).contiguous();
    return {ids.data_ptr<int32_t>(), ids.data_ptr<int32_t>() + kTextTokens};
  }
  [[nodiscard]] Documents documents() const {
    Documents documents;
    for (int64_t row = 0; row < 2; ++row) {
      std::vector<uint8_t> mask(kTextTokens, 1);
      std::fill_n(mask.begin(), 3 + row, uint8_t{0});
      documents.add(text(row), mask);
    }
    return documents;
  }
  /// The captured states of the text, [28, 2 H], from the reference.
  [[nodiscard]] at::Tensor captured(int64_t row) const {
    return at::cat({golden.at("hidden.layer0")[row], golden.at("hidden.layer2")[row]}, 1);
  }

  ModelConfig config;
  ModelWeights weights;
  TargetModel model;
  BatchLayout layout;
  Tensors golden;
};

}  // namespace dflash::test
