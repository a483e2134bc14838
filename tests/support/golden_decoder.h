// golden/drafter/12_decode, loaded: a four-layer target, a drafter that was trained a little for it, and the runs'
// traces.
#pragma once

#include "common/eval/speculative_decoder.h"
#include "tests/support/golden.h"

namespace dflash::test {

struct GoldenDecoder {
  GoldenDecoder()
      : target_config(read_model_config(folder() / "target")),
        weights(folder() / "target"),
        target(target_config, weights, at::kFloat, target_config.num_hidden_layers),
        drafter_config(read_drafter_config(folder())),
        parameters(drafter_config),
        drafter(DrafterModel::over(drafter_config, parameters)),
        runs(read_json_file(folder() / "trace.json")) {
    parameters.load(golden_tensors("drafter/12_decode", "model.safetensors"));
  }
  static std::filesystem::path folder() { return golden_folder("drafter/12_decode"); }
  static DecodeLimits limits_of(const Json& run) {
    return {run["max_new_tokens"].get<int64_t>(), run["block_size"].get<int64_t>(),
            run["stop_token_ids"].get<std::vector<int64_t>>()};
  }
  [[nodiscard]] Decoded decode(const Json& run) const {
    const auto prompt = run["prompt"].get<std::vector<int64_t>>();
    return SpeculativeDecoder(target, drafter, limits_of(run)).decode({&prompt, 1}).front();
  }

  ModelConfig target_config;
  ModelWeights weights;
  TargetModel target;
  DrafterConfig drafter_config;
  DrafterParameters parameters;
  DrafterModel drafter;
  Json runs;
};

}  // namespace dflash::test
