// A run that takes seconds: the four-layer target of golden/drafter/12_decode, made-up documents, a small drafter.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/base/format.h"
#include "common/base/json.h"
#include "common/base/random.h"
#include "tests/support/paths.h"
#include "tests/support/run_program.h"
#include "tests/support/temp_folder.h"

namespace dflash::test {

inline std::vector<Json> json_lines(const std::filesystem::path& file) {
  std::vector<Json> lines;
  const std::string text = read_text(file);
  for (size_t start = 0; start < text.size();) {
    const size_t end = text.find('\n', start);
    lines.push_back(parse_json(text.substr(start, end - start), file.filename().string()));
    start = end + 1;
  }
  return lines;
}

class TinyRun {
 public:
  TinyRun() {
    write_text(path("documents.jsonl"), documents(160));
    write_text(path("run.toml"), settings());
  }

  [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
  [[nodiscard]] static std::string target() {
    return (source_dir() / "tests/golden/drafter/12_decode/target").string();
  }
  [[nodiscard]] ProgramResult train(const std::string& arguments = "") const {
    return run_program("dflash train " + path("run.toml").string() + " " + arguments);
  }

  /// One parsed line per step.
  [[nodiscard]] static std::vector<Json> metrics(const std::filesystem::path& run) {
    return json_lines(run / "metrics.jsonl");
  }

  /// Rows of 8 to 47 tokens that count upwards from a random start, so that there is something to learn.
  [[nodiscard]] static std::string documents(int count) {
    const CounterRandom random(5, RandomPurpose::document_order, 0);
    std::string text;
    for (int d = 0; d < count; ++d) {
      const uint64_t bits = random.bits(static_cast<uint64_t>(d));
      const int length = 8 + static_cast<int>(bits % 40), first = static_cast<int>((bits >> 32) % 90);
      std::vector<int> ids, mask;
      for (int i = 0; i < length; ++i) {
        ids.push_back((first + i) % 90);
        mask.push_back(i >= 4 ? 1 : 0);
      }
      text += format("{{\"input_ids\":[{}],\"loss_mask\":[{}]}}\n", join(ids, ","), join(mask, ","));
    }
    return text;
  }

 private:
  [[nodiscard]] std::string settings() const {
    return format(
        "[run]\ndir = \"run\"\nseed = 3\nstall_timeout_s = 60\n"
        "[target]\nmodel = \"{}\"\nthreads = 1\n"
        "[drafter]\nmask_token_id = 95\nblock_size = 8\nnum_layers = 2\ntarget_layer_ids = [0, 2]\nthreads = 1\n"
        "[data]\nfiles = [\"documents.jsonl\"]\npack_tokens = 128\n"
        "[train]\nsteps = 12\nlr = 5e-3\nnum_anchors = 32\n"
        "[checkpoint]\nevery_steps = 5\n[log]\nmetrics_every = 4\n",
        target());
  }

  TempFolder folder_;
};

}  // namespace dflash::test
