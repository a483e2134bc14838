// A whole run on the GPU, all workers on one; in a rehearsal on the simulated device.
#include <gtest/gtest.h>

#include <cmath>

#include "common/base/json.h"
#include "tests/support/gpu_device.h"
#include "tests/support/tiny_run.h"

namespace dflash {
namespace {

using test::TinyRun;

std::vector<double> train(const std::string& options) {
  const TinyRun tiny;
  const auto result = tiny.train(options);
  EXPECT_EQ(result.exit_code, 0) << result.output;
  std::vector<double> losses;
  for (const Json& step : TinyRun::metrics(tiny.path("run"))) losses.push_back(step.at("loss").get<double>());
  return losses;
}

/// 2e-3: the sums of a GPU run in another order.
TEST(DeviceRun, TheLossCurveIsThatOfTheCpu) {
  DFLASH_NEED_GPU();
  const std::string device = test::on_gpu() ? " --set run.device=cuda" : " --set run.device=sim";
  for (const std::string how : {"", " --drafters 2 --targets 2",
                                " --set pipeline.split_fc_layers=true --set "
                                "train.noise=constant --set train.noise_from=0.1"}) {
    const std::vector<double> expected = train(how), found = train(how + device);
    ASSERT_EQ(found.size(), expected.size()) << how;
    ASSERT_GT(found.size(), 5U);
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(found[i], expected[i], (test::on_gpu() ? 2e-3 : 0) * std::abs(expected[i])) << how << " step " << i;
    }
  }
}

}  // namespace
}  // namespace dflash
