// The rope keys in all their spellings (golden/target, "Config keys that changed"; dflash-semantics 1.3).
#include "common/hf/rope_config.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/hf/config_json.h"

namespace dflash {
namespace {

RopeConfig rope_of(const Json& json) {
  return read_rope(ConfigFields(json, "config.json"), 4096);
}

Json scaling(const Json& value) {
  return {{"rope_theta", 5e5}, {"rope_scaling", value}};
}

Json llama3() {
  return {{"rope_type", "llama3"},
          {"factor", 8.0},
          {"low_freq_factor", 1.0},
          {"high_freq_factor", 4.0},
          {"original_max_position_embeddings", 8192}};
}

Json yarn() {
  return {{"rope_type", "yarn"}, {"factor", 4.0}, {"original_max_position_embeddings", 1024}};
}

void expect_no_rope(const Json& json, const std::string& complaint) {
  const Error error = error_of([&] { (void)rope_of(json); });
  EXPECT_EQ(error.kind(), ErrorKind::input_file) << error.what();
  EXPECT_TRUE(says(error, {"config.json", complaint}));
}

TEST(RopeConfig, NobodySaysAnything) {
  EXPECT_EQ(rope_of(Json::object()), RopeConfig{});
  EXPECT_EQ(rope_of(Json::object()).theta, 10000);
  EXPECT_EQ(rope_of({{"rope_theta", nullptr}, {"rope_scaling", nullptr}, {"rope_parameters", nullptr}}), RopeConfig{});
  EXPECT_EQ(rope_of({{"rope_theta", 1000000}, {"rope_scaling", Json::object()}}).theta, 1e6);
}

TEST(RopeConfig, ObjectsWinInTheirOrder) {
  Json json{{"rope_theta", 1e6}, {"rope_parameters", {{"rope_type", "default"}, {"rope_theta", 5e5}}}};
  EXPECT_EQ(rope_of(json).theta, 5e5);  // over the bare 1e6
  json["rope_scaling"] = nullptr;
  EXPECT_EQ(rope_of(json).theta, 5e5);
  json["rope_scaling"] = Json::object();  // as good as null
  EXPECT_EQ(rope_of(json).theta, 5e5);
  json["rope_scaling"] = {{"type", "default"}, {"rope_theta", 3e5}};
  EXPECT_EQ(rope_of(json).theta, 3e5);
  json["rope_scaling"] = {{"rope_type", "linear"}, {"factor", 2}};
  EXPECT_EQ(rope_of(json).theta, 1e6);  // the bare one, not that of rope_parameters
  EXPECT_EQ(rope_of(json).type, RopeType::linear);
  json.erase("rope_theta");
  EXPECT_EQ(rope_of(json).theta, 10000);
  EXPECT_EQ(rope_of({{"rope_theta", 1e6}, {"rope_parameters", yarn()}}).theta, 1e6);  // none in the object
}

TEST(RopeConfig, TheOldNameOfTheType) {
  EXPECT_EQ(rope_of(scaling({{"type", "linear"}, {"factor", 4.0}})).type, RopeType::linear);
  EXPECT_EQ(rope_of(scaling({{"type", "yarn"}, {"rope_type", "linear"}, {"factor", 4.0}})).type, RopeType::linear);
}

TEST(RopeConfig, Linear) {
  RopeConfig expected;
  expected.type = RopeType::linear;
  expected.theta = 5e5;
  expected.factor = 2.5;
  EXPECT_EQ(rope_of(scaling({{"rope_type", "linear"}, {"factor", 2.5}})), expected);
  expect_no_rope(scaling({{"rope_type", "linear"}}), "config.json: rope_scaling: 'factor' is missing");
}

TEST(RopeConfig, Llama3) {
  RopeConfig expected;
  expected.type = RopeType::llama3;
  expected.theta = 5e5;
  expected.factor = 8;
  expected.low_freq_factor = 1;
  expected.high_freq_factor = 4;
  expected.original_max_position_embeddings = 8192;
  EXPECT_EQ(rope_of(scaling(llama3())), expected);
  expected.original_max_position_embeddings = 4096;
  EXPECT_EQ(rope_of(scaling(without("original_max_position_embeddings", llama3()))), expected);
  for (const char* key : {"factor", "low_freq_factor", "high_freq_factor"}) {
    expect_no_rope(scaling(without(key, llama3())), std::string("'") + key + "' is missing");
  }
  expect_no_rope(scaling(with("low_freq_factor", 4, llama3())), "'high_freq_factor' is 4: expected more than");
}

TEST(RopeConfig, Yarn) {
  RopeConfig expected;
  expected.type = RopeType::yarn;
  expected.theta = 5e5;
  expected.factor = 4;
  expected.original_max_position_embeddings = 1024;
  EXPECT_EQ(rope_of(scaling(yarn())), expected);
  EXPECT_EQ(expected.beta_fast, 32);
  EXPECT_EQ(expected.beta_slow, 1);
  EXPECT_TRUE(expected.truncate);
  Json full = yarn();
  full.update(
      {{"beta_fast", 16}, {"beta_slow", 2}, {"attention_factor", 1.25}, {"mscale", 0.707}, {"truncate", false}});
  const RopeConfig rope = rope_of(scaling(full));
  EXPECT_EQ(rope.beta_fast, 16);
  EXPECT_EQ(rope.beta_slow, 2);
  EXPECT_EQ(rope.attention_factor, 1.25);
  EXPECT_EQ(rope.mscale, 0.707);
  EXPECT_EQ(rope.mscale_all_dim, 0);
  EXPECT_FALSE(rope.truncate);
}

TEST(RopeConfig, YarnWithoutAFactorTakesTheRatioOfLengths) {
  EXPECT_EQ(rope_of(scaling(without("factor", yarn()))).factor, 4);
  EXPECT_EQ(rope_of(scaling(with("factor", nullptr, yarn()))).factor, 4);
  const RopeConfig same = rope_of(scaling({{"rope_type", "yarn"}}));
  EXPECT_EQ(same.original_max_position_embeddings, 4096);
  EXPECT_EQ(same.factor, 1);
}

/// transformers: the trained length at the top level goes before the one inside.
TEST(RopeConfig, TheTrainedLengthAtTheTopLevelWins) {
  Json json = scaling(yarn());
  json["original_max_position_embeddings"] = 2048;
  EXPECT_EQ(rope_of(json).original_max_position_embeddings, 2048);
  json["rope_scaling"].erase("factor");
  EXPECT_EQ(rope_of(json).factor, 2);
  json["original_max_position_embeddings"] = 0;
  expect_no_rope(json, "config.json: 'original_max_position_embeddings' is 0");
}

TEST(RopeConfig, AnMscaleOfZeroCountsAsAbsent) {
  for (const Json& zero : {Json(0), Json(0.0), Json()}) {
    EXPECT_EQ(rope_of(scaling(with("mscale", zero, yarn()))), rope_of(scaling(yarn())));
    EXPECT_EQ(rope_of(scaling(with("mscale_all_dim", zero, yarn()))), rope_of(scaling(yarn())));
  }
  expect_no_rope(scaling(with("mscale", -1, yarn())), "'mscale'");
  expect_no_rope(scaling(with("mscale_all_dim", false, yarn())), "'mscale_all_dim'");
}

TEST(RopeConfig, OtherTypesAreRefusedByName) {
  for (const char* type : {"dynamic", "longrope", "mrope", "su", "Yarn", ""}) {
    for (const char* key : {"rope_type", "type"}) {
      expect_no_rope(scaling({{key, type}, {"factor", 4}}), std::string("rope_scaling: '") + key + "' is '" + type);
      expect_no_rope({{"rope_parameters", {{key, type}}}}, std::string("rope_parameters: '") + key + "' is '" + type);
    }
  }
  expect_no_rope(scaling({{"rope_type", 4}}), "'rope_type' is 4: expected a string");
  expect_no_rope(scaling("yarn"), "'rope_scaling' expected an object or null");
  expect_no_rope({{"rope_parameters", {{"full_attention", {{"rope_type", "default"}}}}}}, "full_attention");
}

TEST(RopeConfig, PartialRotationIsRefused) {
  expect_no_rope({{"partial_rotary_factor", 0.25}}, "partial_rotary_factor");
  expect_no_rope({{"partial_rotary_factor", "1"}}, "partial_rotary_factor");
  expect_no_rope({{"rope_parameters", {{"partial_rotary_factor", 0.5}}}}, "rope_parameters: 'partial_rotary_factor'");
  EXPECT_EQ(rope_of({{"partial_rotary_factor", 1.0}}), RopeConfig{});
}

TEST(RopeConfig, NumbersAreDistrusted) {
  const std::vector<Json> hostile{-1, 0, "4", true, Json::array(), std::nan(""), HUGE_VAL};
  for (const Json& value : hostile) {
    expect_no_rope({{"rope_theta", value}}, "config.json: 'rope_theta'");
    expect_no_rope({{"rope_parameters", {{"rope_theta", value}}}}, "rope_parameters: 'rope_theta'");
    for (const char* key : {"factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"}) {
      expect_no_rope(scaling(with(key, value, llama3())), std::string("'") + key + "'");
    }
    for (const char* key : {"factor", "beta_fast", "beta_slow", "attention_factor"}) {
      expect_no_rope(scaling(with(key, value, yarn())), std::string("'") + key + "'");
    }
  }
  for (const double theta : {1.0, 0.5, 1e-300}) {
    expect_no_rope({{"rope_theta", theta}}, "expected a number above 1");
    expect_no_rope({{"rope_parameters", {{"rope_theta", theta}}}}, "expected a number above 1");
  }
  expect_no_rope(scaling(with("truncate", "false", yarn())), "'truncate'");
  expect_no_rope(scaling(with("original_max_position_embeddings", 1024.5, yarn())), "original_max_position_embeddings");
  EXPECT_EQ(rope_of({{"rope_theta", 1e300}}).theta, 1e300);
}

TEST(RopeConfig, WhatIsWrittenIsReadBack) {
  Json full = yarn();
  full.update({{"beta_fast", 16.5},
               {"beta_slow", 2.0},
               {"attention_factor", 1.25},
               {"mscale", 0.707},
               {"mscale_all_dim", 0.5},
               {"truncate", false}});
  for (const Json& object : {Json(), Json{{"rope_type", "linear"}, {"factor", 2.5}}, llama3(), yarn(), full}) {
    const RopeConfig rope = rope_of(scaling(object));
    const Json written = rope_scaling_json(rope);
    EXPECT_EQ(rope_of(scaling(written)), rope) << written;
    EXPECT_FALSE(written.contains("rope_theta"));  // it stands at the top level
  }
  EXPECT_EQ(rope_scaling_json(RopeConfig{}), Json());
  EXPECT_EQ(rope_scaling_json(rope_of(scaling(llama3()))), llama3());
}

TEST(RopeConfig, IsDescribedForAPerson) {
  EXPECT_EQ(describe_rope(RopeConfig{}), "theta 10000");
  EXPECT_EQ(describe_rope(rope_of(scaling({{"type", "linear"}, {"factor", 2}}))), "linear x2, theta 500000");
  EXPECT_EQ(describe_rope(rope_of(scaling(llama3()))), "llama3 x8 over 8192 positions, theta 500000");
  EXPECT_EQ(describe_rope(rope_of(scaling(yarn()))), "yarn x4 over 1024 positions, theta 500000");
}

}  // namespace
}  // namespace dflash
