#include "common/plan/run_device.h"

#include "common/device/cuda_devices.h"
#include "tests/support/errors.h"

namespace dflash {
namespace {

RunSection settings(RunSection::DeviceChoice device) {
  RunSection section;
  section.set_device(device);
  return section;
}

const std::vector<Role> kCast = {Role::coordinator, Role::target, Role::target, Role::drafter};

TEST(RunDevice, CpuAndSimTakeNoGpu) {
  for (const auto device : {RunSection::cpu, RunSection::sim}) {
    EXPECT_NO_THROW(check_run_device(settings(device)));
    const RunPlace place = place_on_node(settings(device), RoleMap(kCast, 2));
    EXPECT_EQ(place.worker, 2);
    EXPECT_EQ(place.cuda_ordinal, -1);
  }
  EXPECT_TRUE(make_run_device(settings(RunSection::cpu), {}).shares_host_memory());
  EXPECT_FALSE(make_run_device(settings(RunSection::sim), {}).shares_host_memory());
}

TEST(RunDevice, CudaIsRefusedWhereNoGpuCanBeUsed) {
  if (cuda_devices().count > 0) GTEST_SKIP() << "there is a GPU";
  const char* words = "run.device = cuda, but no GPU can be used here: ";
  expect_error(ErrorKind::config, words, [] { check_run_device(settings(RunSection::cuda)); });
  expect_error(ErrorKind::config, words, [] { (void)describe_run_device(settings(RunSection::cuda)); });
  expect_error(ErrorKind::config, words, [] { (void)place_on_node(settings(RunSection::cuda), RoleMap(kCast, 1)); });
}

}  // namespace
}  // namespace dflash
