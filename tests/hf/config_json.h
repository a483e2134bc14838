// A small config.json of a target; each test changes what it is about.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "common/hf/model_config.h"
#include "tests/support/errors.h"
#include "tests/support/paths.h"

namespace dflash {

/// The least that is enough. Two layers.
inline Json small_config() {
  return {{"model_type", "qwen3"},    {"vocab_size", 160},      {"hidden_size", 48},
          {"intermediate_size", 104}, {"num_hidden_layers", 2}, {"num_attention_heads", 4},
          {"num_key_value_heads", 2}, {"head_dim", 16},         {"max_position_embeddings", 4096},
          {"rms_norm_eps", 1e-6},     {"rope_theta", 1000000},  {"dtype", "float32"}};
}

inline Json with(const std::string& key, const Json& value, Json json = small_config()) {
  json[key] = value;
  return json;
}

inline Json without(const std::string& key, Json json = small_config()) {
  json.erase(key);
  return json;
}

inline ModelConfig parse(const Json& json) {
  return parse_model_config(json, "config.json");
}

inline void expect_refused(const Json& json, const std::string& complaint) {
  const Error error = error_of([&] { (void)parse(json); });
  EXPECT_EQ(error.kind(), ErrorKind::input_file) << error.what();
  EXPECT_TRUE(says(error, {"config.json", complaint}));
}

inline std::filesystem::path golden_target(const std::string& name) {
  return test::source_dir() / "tests" / "golden" / "target" / name;
}

}  // namespace dflash
