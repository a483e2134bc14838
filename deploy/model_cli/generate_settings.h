// What a run of `dflash generate` is asked to do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/data/rows/row_shape.h"
#include "common/eval/token_sampler.h"
#include "common/hf/model_config.h"
#include "common/text/chat_template/fixed_clock.h"

namespace dflash {

struct GenerateSettings {
  std::vector<std::string> prompts;
  std::string target;
  std::string output;
  std::string tokenizer;          // empty: the target's
  std::string chat_template;      // empty: the target's
  std::optional<RowShape> shape;  // else it is looked for
  Json template_variables = Json::object();
  std::string now = kUsualTime;       // the time that templates see
  std::optional<double> temperature;  // else greedy
  std::optional<double> top_p;
  std::optional<int64_t> top_k;
  std::optional<uint64_t> seed;
  bool sample_as_model = false;  // as generation_config.json says
  int64_t max_new_tokens = 4096;
  std::optional<int64_t> max_context;  // else the target's positions
  std::vector<int64_t> stop_tokens;    // empty: the target's
  int64_t batch = 32;                  // texts side by side
  int threads = 0;                     // 0: all cores
  std::string dtype = "float32";
  std::string ledger;  // empty: not written
};

/// How tokens are chosen. Error{config} for settings that would say nothing (--top-p of greedy answers), Error as
/// read_json_file for generation_config.json.
[[nodiscard]] Sampling make_sampling(const GenerateSettings& settings);

/// max_context, or the positions that the target has. Error{config} when more are asked for.
[[nodiscard]] int64_t make_max_context(const GenerateSettings& settings, const ModelConfig& target);

/// Everything that a line of the output depends on, by name, as AnswerFile keeps it. `prompts`: hash of the rows.
[[nodiscard]] Json lasting_settings(const GenerateSettings& settings, const Sampling& sampling, int64_t max_context,
                                    const std::vector<int64_t>& stop_tokens, const std::string& prompts);

}  // namespace dflash
