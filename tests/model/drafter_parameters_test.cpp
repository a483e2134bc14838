#include "common/model/drafter_parameters.h"

#include <gtest/gtest.h>

#include "common/base/error.h"
#include "tests/support/golden_drafter.h"

namespace dflash {
namespace {

DrafterConfig small_config() {
  return read_drafter_config(test::golden_folder("drafter/01_basic"));
}

TEST(DrafterParameters, StartAsTheFormatAsks) {
  DrafterParameters parameters(small_config());
  parameters.initialize(7, 2.0);
  for (const auto& [name, leaf] : parameters.leaves()) {
    if (leaf.dim() == 2) {
      EXPECT_NEAR(leaf.std().item<double>(), 0.02, 0.002) << name;
      EXPECT_NEAR(leaf.mean().item<double>(), 0.0, 0.002) << name;
    } else {
      const double expected =
          name.find("q_norm") != std::string::npos || name.find("k_norm") != std::string::npos ? 2.0 : 1.0;
      EXPECT_TRUE(leaf.eq(expected).all().item<bool>()) << name;
    }
  }
}

TEST(DrafterParameters, SameSeedSameWeightsOtherSeedOthers) {
  DrafterParameters a(small_config()), b(small_config()), c(small_config());
  a.initialize(7, 1.0);
  b.initialize(7, 1.0);
  c.initialize(8, 1.0);
  EXPECT_TRUE(a.values().equal(b.values()));
  EXPECT_FALSE(a.values().equal(c.values()));
  EXPECT_FALSE(a.at("layers.0.mlp.up_proj.weight").equal(a.at("layers.0.mlp.gate_proj.weight")));
}

TEST(DrafterParameters, AWeightDependsOnItsNameNotOnItsPlace) {
  DrafterConfig deeper = small_config();
  deeper.num_hidden_layers += 1;
  DrafterParameters a(small_config()), b(deeper);
  a.initialize(7, 1.0);
  b.initialize(7, 1.0);
  EXPECT_TRUE(a.at("layers.1.self_attn.q_proj.weight").equal(b.at("layers.1.self_attn.q_proj.weight")));
}

TEST(DrafterParameters, GradientsGatherInTheFlatBufferAndAddUp) {
  DrafterParameters parameters(small_config());
  parameters.at("norm.weight").sum().backward();
  parameters.at("norm.weight").sum().backward();
  EXPECT_EQ(parameters.gradients().sum().item<double>(), static_cast<double>(2 * small_config().hidden_size));
  EXPECT_TRUE(parameters.views_of(parameters.gradients()).at("norm.weight").eq(2).all().item<bool>());
  parameters.zero_gradients();
  EXPECT_EQ(parameters.gradients().abs().sum().item<double>(), 0.0);
}

TEST(DrafterParameters, LoadNamesWhatDoesNotFit) {
  DrafterParameters parameters(small_config());
  const test::Tensors whole = test::golden_tensors("drafter/01_basic", "model.safetensors");
  const auto message = [&](test::Tensors tensors) {
    try {
      parameters.load(tensors);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input_file);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(whole), "");
  test::Tensors missing = whole, surplus = whole, misshapen = whole;
  missing.erase("fc.weight");
  surplus["lm_head.weight"] = at::zeros({1});
  misshapen["fc.weight"] = at::zeros({2, 3});
  EXPECT_NE(message(missing).find("fc.weight is missing"), std::string::npos);
  EXPECT_NE(message(surplus).find("lm_head.weight does not belong"), std::string::npos);
  EXPECT_NE(message(misshapen).find("shape [2, 3], expected [64, 128]"), std::string::npos);
}

}  // namespace
}  // namespace dflash
