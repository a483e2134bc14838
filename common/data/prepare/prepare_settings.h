// PrepareSettings: how rows of conversations become token ids and loss masks.
//
// Threading: plain values. Owns: nothing; the paths must stay readable until preparing is done.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "common/base/json.h"
#include "common/data/prepared/prepared_writer.h"
#include "common/data/rows/row_shape.h"
#include "common/text/chat_template/fixed_clock.h"
#include "common/text/loss_mask/loss_mask.h"

namespace dflash {

/// What becomes of a row with more than max_tokens tokens.
enum class TooLong : uint8_t {
  cut,   // its first max_tokens tokens are kept
  drop,  // it is left out as too_long
};

struct PrepareSettings {
  std::filesystem::path tokenizer;      ///< a tokenizer.json, or a folder that holds one
  std::filesystem::path chat_template;  ///< a Jinja file, a tokenizer_config.json or a model's folder
  std::filesystem::path model{};        ///< the folder whose special tokens (bos, eos) any template sees; empty: none
  Json template_variables = Json::object();  ///< what parse_template_variables gives: enable_thinking, ...
  Supervise supervise = Supervise::all_turns;
  bool reasoning = true;  ///< false: the thoughts of the assistant are not supervised
  int64_t max_tokens = 4096;
  TooLong too_long = TooLong::cut;
  int64_t min_supervised_tokens = 32;    ///< counted after the cut; two neighbours are asked for in any case
  std::optional<int32_t> mask_token_id;  ///< the drafter's noise: rows that supervise it are left out
  std::optional<int64_t> vocab_size;     ///< of the target: rows with an id that is not below it are left out
  std::optional<RowShape> shape;         ///< of every file; else each file's is found out
  std::string now = kUsualTime;          ///< the time that templates see: the same text on every day
  int64_t shard_tokens = kShardTokens;   ///< how many tokens fill a shard of the folder
  int threads = 0;                       ///< workers; 0: one for each core. Changes no byte of the result
};

/// cut, drop.
[[nodiscard]] const char* too_long_name(TooLong rule);
[[nodiscard]] TooLong parse_too_long(const std::string& name);

/// Error{config} for numbers that cannot work (max_tokens below 2, fewer than 0 threads) and for a time that is none.
void check_settings(const PrepareSettings& settings);

/// Everything that the result depends on, without threads and without the three paths: keys hold the bytes behind
/// those. Without template_variables when there is none, as keys were before these could be set.
[[nodiscard]] Json settings_json(const PrepareSettings& settings);

}  // namespace dflash
