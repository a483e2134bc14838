// Runs that cannot work end at once, with one clear line and the agreed exit code, and leave nothing behind.

#include <gtest/gtest.h>

#include "tests/support/tiny_run.h"

namespace dflash {
namespace {

using test::TinyRun;

void expect_refused(const TinyRun& tiny, const std::string& arguments, int exit_code,
                    const std::vector<std::string>& words) {
  const test::ProgramResult result = tiny.train(arguments);
  EXPECT_EQ(result.exit_code, exit_code) << result.output;
  for (const std::string& word : words)
    EXPECT_NE(result.output.find(word), std::string::npos) << word << " in: " << result.output;
  EXPECT_FALSE(std::filesystem::exists(tiny.path("run") / "metrics.jsonl"));
}

TEST(RefusedRun, Settings) {
  const TinyRun tiny;
  expect_refused(tiny, "--set train.step=3", 10, {"train.step", "did you mean", "train.steps"});
  expect_refused(tiny, "--set train.lr=fast", 10, {"train.lr"});
  expect_refused(tiny, "--set drafter.block_size=1", 10, {"drafter.block_size"});
  expect_refused(tiny, "--drafters 0", 10, {"--drafters 0", "at least 1"});
  expect_refused(tiny, "--set pipeline.channel=tcp", 10, {"pipeline.channel", "auto", "shm", "mpi"});
  expect_refused(tiny, "--set pipeline.channel=pinned_host", 10, {"pinned_host", "'run.device' is cpu", "use auto"});
  expect_refused(tiny, "--set pipeline.channel=nccl --set run.device=sim", 10, {"nccl", "'run.device' is sim"});
  expect_refused(tiny, "--set pipeline.channel=nccl --dry-run", 10,
                 {"'run.device' is cpu: use auto, or set run.device"});
  expect_refused(tiny, "--set drafter.mask_token_id=96", 10, {"mask_token_id", "96"});
  expect_refused(tiny, "--set drafter.target_layer_ids=[] --set drafter.num_captured_layers=2", 10, {"captured"});
}

TEST(RefusedRun, SettingsFileNamesLineAndColumn) {
  const TinyRun tiny;
  write_text(tiny.path("run.toml"), "[run]\ndir = \"run\"\n[train]\n  epoch = 3\n");
  expect_refused(tiny, "", 10, {"run.toml:4:3", "train.epoch", "train.epochs"});
}

/// Also of a run that nobody planned before: nothing is loaded.
TEST(RefusedRun, MoreMemoryThanTheNodeHas) {
  const TinyRun tiny;
  const std::string large = "--set drafter.num_layers=128 --set drafter.intermediate_size=1000000000";
  expect_refused(tiny, large, 10, {"drafter.num_layers asks for too much memory", "the largest part is parameters"});
  const std::string bin = test::programs_dir().string();
  const auto by_hand = test::run_program(
      format("mpirun --allow-run-as-root --oversubscribe --bind-to none --mca btl self,vader -n 1 {}/coordinator {} {} "
             ": -n 1 {}/target_worker : -n 1 {}/drafter_worker",
             bin, tiny.path("run.toml").string(), large, bin, bin));
  EXPECT_NE(by_hand.exit_code, 0);
  EXPECT_NE(by_hand.output.find("drafter.num_layers asks for too much memory"), std::string::npos) << by_hand.output;
  EXPECT_FALSE(std::filesystem::exists(tiny.path("run")));
}

TEST(RefusedRun, ExistingRunFolder) {
  const TinyRun tiny;
  write_text(tiny.path("run/run.json"), "{}");
  expect_refused(tiny, "", 10, {"run", "remove"});
}

TEST(RefusedRun, Files) {
  const TinyRun tiny;
  expect_refused(tiny, "--set target.model=" + tiny.path("nowhere").string(), 11, {"nowhere"});
  expect_refused(tiny, "--set 'data.files=[\"" + tiny.path("missing.jsonl").string() + "\"]'", 11, {"missing.jsonl"});
}

TEST(RefusedRun, MoreThanOneInAHundredBadRows) {
  const TinyRun tiny;
  write_text(tiny.path("documents.jsonl"),
             TinyRun::documents(160) + "{\"input_ids\":[1,2,3],\"loss_mask\":[1]}\nnot json\n");
  expect_refused(tiny, "", 11, {"documents.jsonl:161", "documents.jsonl:162"});
}

TEST(RefusedRun, AWorkerAloneSaysHowToStart) {
  for (const char* program : {"target_worker", "drafter_worker"}) {
    const auto result =
        test::run_program(std::string("env OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ") + program);
    EXPECT_EQ(result.exit_code, 10) << result.output;
    EXPECT_NE(result.output.find("mpirun"), std::string::npos) << result.output;
    EXPECT_EQ(test::run_program(std::string(program) + " --help").exit_code, 0);
  }
}

}  // namespace
}  // namespace dflash
