// What a run computed, exactly as written, to compare two runs to the bit.
#pragma once

#include <string>
#include <vector>

#include "tests/support/tiny_run.h"

namespace dflash::test {

struct Outcome {
  std::vector<std::string> curve;  // a line per step
  std::string weights;
  std::string moments;

  friend bool operator==(const Outcome&, const Outcome&) = default;
};

/// Of a TinyRun's folder, whose last step is `steps`.
inline Outcome outcome_of(const std::filesystem::path& run, int steps = 12) {
  Outcome outcome;
  for (const Json& line : TinyRun::metrics(run)) {
    outcome.curve.push_back(
        Json{line["step"], line["loss"], line["lr"], line["grad_norm"], line["acc_per_position"], line["accept_len"]}
            .dump());
  }
  const std::filesystem::path last = run / format("checkpoints/step-{:08}", steps);
  outcome.weights = read_text(last / "drafter/model.safetensors");
  outcome.moments = read_text(last / "state/optimizer.safetensors");
  return outcome;
}

}  // namespace dflash::test
