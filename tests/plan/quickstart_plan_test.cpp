// The settings of deploy/quickstart, as they stand in the repository, load and make a plan.

#include <gtest/gtest.h>

#include "common/config/run_config.h"
#include "common/plan/run_plan.h"
#include "tests/plan/plan_inputs.h"
#include "tests/support/paths.h"

namespace dflash {
namespace {

TEST(QuickstartPlan, ItsSettingsLoadAndPlan) {
  const RunConfig config = load_run_config(test::source_dir() / "deploy/configs/quickstart.toml", {});
  const RunPlan plan = make_run_plan(config, read_model_config(config.target().model()), 1, 1, kMachine);
  EXPECT_EQ(plan.layout.captured_layer_ids, (std::vector<int64_t>{1, 5}));
  EXPECT_EQ(plan.layout.pack_tokens, 1024);
  EXPECT_EQ(plan.compute_dtype, DType::f32);
  EXPECT_EQ(plan.drafter.mask_token_id, 2047);
  EXPECT_EQ(count_steps(config, 1, 0).steps, 600);
}

}  // namespace
}  // namespace dflash
