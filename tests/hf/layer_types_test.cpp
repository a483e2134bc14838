#include "common/hf/layer_types.h"

#include <gtest/gtest.h>

#include "common/hf/drafter_config.h"
#include "tests/hf/config_json.h"

namespace dflash {
namespace {

constexpr auto kFull = LayerType::full_attention;
constexpr auto kSliding = LayerType::sliding_attention;
using Types = std::vector<LayerType>;

std::optional<Types> read(const Json& value, int64_t layers) {
  const Json json{{"layer_types", value}};
  return read_layer_types(ConfigFields(json, "config.json"), layers);
}

void expect_no_types(const Json& value, int64_t layers, const std::string& complaint) {
  expect_error(ErrorKind::input_file, "config.json: 'layer_types' " + complaint, [&] { (void)read(value, layers); });
}

TEST(LayerTypes, AreReadInTheirOrder) {
  EXPECT_EQ(read({"sliding_attention", "full_attention"}, 2), (Types{kSliding, kFull}));
  EXPECT_EQ(layer_type_name(kSliding), "sliding_attention");
  EXPECT_EQ(layer_type_name(kFull), "full_attention");
}

TEST(LayerTypes, AbsentNullAndEmptySayNothing) {
  const Json absent = Json::object();
  EXPECT_EQ(read_layer_types(ConfigFields(absent, "config.json"), 2), std::nullopt);
  EXPECT_EQ(read(nullptr, 2), std::nullopt);
  EXPECT_EQ(read(Json::array(), 2), std::nullopt);
}

TEST(LayerTypes, OtherKindsAndLengthsAreRefused) {
  expect_no_types({"full_attention", "linear_attention"}, 2, "holds \"linear_attention\"");
  expect_no_types({"full_attention", "chunked_attention"}, 2, "holds \"chunked_attention\"");
  expect_no_types({"full_attention", "sliding"}, 2, "holds \"sliding\"");
  expect_no_types({"full_attention", 1}, 2, "holds 1");
  expect_no_types({"full_attention", nullptr}, 2, "holds null");
  expect_no_types({"full_attention"}, 2, "has 1 entries for 2 layers");
  expect_no_types({"full_attention", "full_attention", "full_attention"}, 2, "has 3 entries for 2 layers");
  expect_no_types("full_attention", 1, "expected a list");
  expect_no_types(Json{{"0", "full_attention"}}, 1, "expected a list");
}

TEST(LayerTypes, AnySlidesAnyFull) {
  EXPECT_FALSE(any_slides({kFull, kFull}));
  EXPECT_TRUE(any_slides({kFull, kSliding}));
  EXPECT_FALSE(any_full({kSliding}));
  EXPECT_TRUE(any_full({kSliding, kFull}));
}

TEST(LayerTypes, OnlySlidingLayersHaveAWindow) {
  DrafterConfig drafter;
  drafter.layer_types = {kSliding, kFull};
  drafter.sliding_window = 8;
  EXPECT_EQ(layer_window(drafter, 0), 8);
  EXPECT_EQ(layer_window(drafter, 1), 0);
}

}  // namespace
}  // namespace dflash
