// dflash train --dry-run: what a run would be and take; nothing is started, nothing is written.

#include <gtest/gtest.h>

#include "common/device/cuda_devices.h"
#include "tests/support/tiny_run.h"

namespace dflash {
namespace {

using test::TinyRun;

void expect_words(const std::string& text, const std::vector<std::string>& words) {
  for (const std::string& word : words) EXPECT_NE(text.find(word), std::string::npos) << word << " in: " << text;
}

TEST(DryRun, ShowsSettingsRanksLinksSizesAndTheLine) {
  const TinyRun tiny;
  const auto result = tiny.train("--dry-run --targets 2 --drafters 3");
  ASSERT_EQ(result.exit_code, 0) << result.output;
  expect_words(result.output,
               {"train.lr", "0.005", "1 coordinator, 2 target(s)", "3 drafter(s)", "capture  the output of",
                "batch    128 positions, 49.7 KiB", "links    2 target(s) x 3 drafter(s), all shm (auto: one node)",
                "memory   1 x coordinator", "2 x target", "3 x drafter", "6 x channels", "disk", "of a checkpoint",
                "mpirun ", "coordinator", "-n 2 ", "target_worker", "-n 3 "});
  EXPECT_FALSE(std::filesystem::exists(tiny.path("run")));
}

TEST(DryRun, TheCheckpointSizeIsTheRealOne) {
  const TinyRun tiny;
  const auto planned = tiny.train("--dry-run");
  ASSERT_EQ(tiny.train().exit_code, 0);
  int64_t bytes = 0;
  for (const char* name : {"drafter/model.safetensors", "drafter/config.json", "state/optimizer.safetensors"}) {
    bytes += static_cast<int64_t>(std::filesystem::file_size(tiny.path("run/checkpoints/step-00000012") / name));
  }
  expect_words(planned.output, {format("{:.1f} KiB of a checkpoint", static_cast<double>(bytes) / 1024)});
}

TEST(DryRun, RefusesWhatCannotFit) {
  const TinyRun tiny;
  const auto memory = tiny.train(
      "--dry-run --targets 900 --drafters 900 --set drafter.num_layers=128 "
      "--set drafter.intermediate_size=40000");
  EXPECT_EQ(memory.exit_code, 10) << memory.output;
  expect_words(memory.output, {"memory", "drafter"});
  EXPECT_EQ(tiny.train("--dry-run --set train.step=1").exit_code, 10);
  EXPECT_EQ(tiny.train("--dry-run --set target.model=" + tiny.path("nowhere").string()).exit_code, 11);
}

TEST(DryRun, SaysOnWhichDeviceTheRunWouldCompute) {
  const TinyRun tiny;
  expect_words(tiny.train("--dry-run --set run.device=sim").output, {"device   sim: a simulated device"});
  if (cuda_devices().count > 0) {
    expect_words(tiny.train("--dry-run --set run.device=cuda").output, {"device   cuda: "});
    return;
  }
  for (const char* how : {"--dry-run", ""}) {
    const auto refused = tiny.train(std::string(how) + " --set run.device=cuda");
    EXPECT_EQ(refused.exit_code, 10) << refused.output;
    expect_words(refused.output, {"run.device = cuda, but no GPU can be used here", "run.device = cpu needs none"});
    EXPECT_FALSE(std::filesystem::exists(tiny.path("run")));
  }
}

}  // namespace
}  // namespace dflash
