#include "common/train/training_state.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "common/base/json.h"
#include "tests/support/golden_drafter.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

TEST(TrainingState, WritesTheDrafterInTheExportedFormAndTheMomentsByName) {
  test::GoldenDrafter golden("01_basic");
  Optimizer optimizer(golden.parameters.values(), {});
  const at::Tensor gradients = at::arange(golden.parameters.values().numel(), at::kFloat) + 1;
  (void)optimizer.step(gradients.clone(), 1.0, 1e-3);
  const TempFolder folder;
  std::filesystem::create_directories(folder.path() / "state");
  std::filesystem::create_directories(folder.path() / "drafter");
  const auto files = write_training_state(folder.path(), golden.config, golden.parameters, optimizer, {1, 4});
  EXPECT_EQ(files.size(), 4U);
  for (const std::string& file : files) EXPECT_TRUE(std::filesystem::exists(folder.path() / file)) << file;

  const test::Tensors drafter = read_tensor_file(folder.path() / "drafter/model.safetensors");
  EXPECT_EQ(drafter.size(), golden.parameters.leaves().size());
  for (const auto& [name, leaf] : golden.parameters.leaves())
    EXPECT_TRUE(drafter.at(name).equal(leaf.detach())) << name;
  EXPECT_EQ(read_drafter_config(folder.path() / "drafter").target_layer_ids, golden.config.target_layer_ids);

  const test::Tensors moments = read_tensor_file(folder.path() / "state/optimizer.safetensors");
  EXPECT_EQ(moments.size(), 2 * drafter.size());
  const at::Tensor expected = golden.parameters.views_of(optimizer.first_moment()).at("fc.weight");
  EXPECT_TRUE(moments.at("first_moment.fc.weight").equal(expected));
  const Json position = read_json_file(folder.path() / "state/position.json");
  EXPECT_EQ(position["step"], 1);
  EXPECT_EQ(position["next_sequence"], 4);
}

}  // namespace
}  // namespace dflash
