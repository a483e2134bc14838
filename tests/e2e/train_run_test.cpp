// dflash train, from settings to exported drafter: the same losses, bit for bit, for any number of targets.

#include <gtest/gtest.h>

#include "common/checkpoint/checkpoint_store.h"
#include "common/hf/drafter_config.h"
#include "tests/support/paths.h"
#include "tests/support/tiny_run.h"

namespace dflash {
namespace {

using test::TinyRun;

/// Loss, rate and norm of every step, exactly as written.
std::vector<std::string> curve_of(const std::filesystem::path& run) {
  std::vector<std::string> curve;
  for (const Json& line : TinyRun::metrics(run)) {
    curve.push_back(Json{line["step"], line["loss"], line["lr"], line["grad_norm"], line["acc_per_position"]}.dump());
  }
  return curve;
}

TEST(TrainRun, OneTargetFromSettingsToDrafter) {
  const TinyRun tiny;
  const test::ProgramResult result = tiny.train();
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const std::vector<Json> metrics = TinyRun::metrics(tiny.path("run"));
  ASSERT_EQ(metrics.size(), 12U);
  for (size_t i = 0; i < metrics.size(); ++i) {
    EXPECT_EQ(metrics[i]["step"], i + 1);
    for (const char* key : {"loss", "lr", "grad_norm", "tokens_per_s", "queue_level"})
      EXPECT_TRUE(metrics[i][key].is_number()) << key;
    const bool metric_step = i == 0 || (i + 1) % 4 == 0;
    for (const char* key : {"acc", "acc_per_position", "accept_len"})
      EXPECT_EQ(metrics[i][key].is_null(), !metric_step) << key << i;
  }

  const CheckpointStore store(tiny.path("run") / "checkpoints");
  EXPECT_EQ(store.committed_steps(), (std::vector<int64_t>{0, 10, 12}));  // the first, and the newest two
  for (const int64_t step : store.committed_steps()) EXPECT_EQ(store.verify(step).step(), step);
  const DrafterConfig drafter = read_drafter_config(store.final_folder(12) / "drafter");
  EXPECT_EQ(drafter.target_layer_ids, (std::vector<int64_t>{0, 2}));
  for (const char* log : {"coordinator-0.log", "target-0.log", "drafter-0.log"}) {
    EXPECT_TRUE(std::filesystem::exists(tiny.path("run") / "logs" / log)) << log;
  }
  // In the steady state the hand-off asks nobody for memory.
  const std::string target_log = read_text(tiny.path("run/logs/target-0.log"));
  EXPECT_NE(target_log.find("; 0 allocations of it after the first batch, 0 new tensors"), std::string::npos)
      << target_log;
  const std::string drafter_log = read_text(tiny.path("run/logs/drafter-0.log"));
  EXPECT_NE(drafter_log.find("; 0 allocations of it while it trained"), std::string::npos) << drafter_log;
}

TEST(TrainRun, TheDrafterLearns) {
  const TinyRun tiny;
  const test::ProgramResult result = tiny.train("--set train.steps=150 --set train.lr=1e-2");
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const std::vector<Json> metrics = TinyRun::metrics(tiny.path("run"));
  EXPECT_LT(metrics.back()["loss"].get<double>(), 0.5 * metrics.front()["loss"].get<double>());
  EXPECT_GT(metrics.back()["accept_len"].get<double>(), 2.0);
}

TEST(TrainRun, EveryFamilyIsATarget) {
  for (const char* name : {"llama3-rope", "qwen2-window", "mistral-window"}) {
    const TinyRun tiny;
    const std::string target = (test::source_dir() / "tests/golden/target" / name).string();
    const auto result =
        tiny.train(format("--set target.model={} --set drafter.mask_token_id=159 --set train.steps=3", target));
    ASSERT_EQ(result.exit_code, 0) << name << ": " << result.output;
    const auto folder = tiny.path("run") / "checkpoints/step-00000003/drafter";
    EXPECT_EQ(read_drafter_config(folder).rope, read_model_config(target).rope) << name;
    write_text(tiny.path("prompts.jsonl"), "{\"prompt_ids\": [5,6,7,8,9,10,11,12,13,14,15,16]}\n");
    const auto eval = test::run_program(format("dflash eval --target {} --drafter {} --prompts {} --json", target,
                                               folder.string(), tiny.path("prompts.jsonl").string()));
    ASSERT_EQ(eval.exit_code, 0) << name << ": " << eval.output;
    EXPECT_EQ(parse_json(eval.output, "output")["lossless"], true) << name;
  }
}

TEST(TrainRun, SlidingLayersAndBiasesLearnAndAreExported) {
  for (const char* types : {"sliding", "[\"sliding\",\"full\"]"}) {
    const TinyRun tiny;
    const auto result = tiny.train(
        format("--set 'drafter.layer_types={}' --set drafter.sliding_window=8 --set drafter.attention_bias=true "
               "--set train.steps=60 --set train.lr=1e-2",
               types));
    ASSERT_EQ(result.exit_code, 0) << result.output;
    const std::vector<Json> metrics = TinyRun::metrics(tiny.path("run"));
    EXPECT_LT(metrics.back()["loss"].get<double>(), 0.8 * metrics.front()["loss"].get<double>()) << types;
    const auto folder = tiny.path("run") / "checkpoints/step-00000060/drafter";
    const DrafterConfig drafter = read_drafter_config(folder);
    EXPECT_EQ(drafter.sliding_window, 8);
    EXPECT_TRUE(any_slides(drafter.layer_types) && drafter.attention_bias);
    const bool mixed = any_full(drafter.layer_types);
    EXPECT_EQ(mixed, types[0] == '[');
    EXPECT_EQ(drafter.is_causal, mixed ? std::nullopt : std::optional<bool>(true));
    write_text(tiny.path("prompts.jsonl"), "{\"prompt_ids\": [5,6,7,8,9,10,11,12,13,14,15,16]}\n");
    const auto eval =
        test::run_program(format("dflash eval --target {} --drafter {} --prompts {} --json", TinyRun::target(),
                                 folder.string(), tiny.path("prompts.jsonl").string()));
    ASSERT_EQ(eval.exit_code, 0) << eval.output;
    EXPECT_EQ(parse_json(eval.output, "output")["lossless"], true) << eval.output;
  }
}

TEST(TrainRun, LossBitsDoNotDependOnTheNumberOfTargets) {
  const TinyRun tiny;
  std::vector<std::vector<std::string>> curves;
  std::vector<std::string> weights;
  for (int targets = 1; targets <= 3; ++targets) {
    const std::string run = "run-" + std::to_string(targets);
    const auto result = tiny.train(format("--targets {} --set run.dir={}", targets, tiny.path(run).string()));
    ASSERT_EQ(result.exit_code, 0) << result.output;
    curves.push_back(curve_of(tiny.path(run)));
    weights.push_back(read_text(tiny.path(run) / "checkpoints/step-00000012/drafter/model.safetensors"));
  }
  for (size_t i = 1; i < curves.size(); ++i) {
    EXPECT_EQ(curves[i], curves[0]) << i + 1 << " targets";
    EXPECT_TRUE(weights[i] == weights[0]) << i + 1 << " targets";
  }
}

TEST(TrainRun, AccumulationAndAQueueOfOneFinish) {
  const TinyRun tiny;
  const auto result = tiny.train("--targets 2 --hs-queue-depth 1 --set train.accumulation_steps=3 --set train.steps=4");
  ASSERT_EQ(result.exit_code, 0) << result.output;
  EXPECT_EQ(TinyRun::metrics(tiny.path("run")).size(), 4U);
}

TEST(TrainRun, MpirunByHandIsTheSame) {
  const TinyRun tiny;
  const std::string toml = tiny.path("run.toml").string(), bin = test::programs_dir().string();
  ASSERT_EQ(tiny.train(format("--set run.dir={}", tiny.path("composed").string())).exit_code, 0);
  const auto by_hand =
      test::run_program("mpirun --allow-run-as-root --oversubscribe --bind-to none --mca btl self,vader -n 1 " + bin +
                        "/coordinator " + toml + " : -n 1 " + bin + "/target_worker : -n 1 " + bin + "/drafter_worker");
  ASSERT_EQ(by_hand.exit_code, 0) << by_hand.output;
  for (const char* word :
       {"memory   1 x coordinator", "1 x target", "captured layers", "activations", "slots of a link"})
    EXPECT_NE(by_hand.output.find(word), std::string::npos) << word << " in: " << by_hand.output;
  EXPECT_EQ(curve_of(tiny.path("run")), curve_of(tiny.path("composed")));
}

TEST(TrainRun, EpochsLeaveOutWhatDoesNotFillAStep) {
  const TinyRun tiny;
  const auto result = tiny.train("--set train.steps=0 --set train.accumulation_steps=8");
  ASSERT_EQ(result.exit_code, 0) << result.output;
  const Json facts = read_json_file(tiny.path("run") / "run.json");
  const auto batches = facts["first_epoch_batches"].get<int64_t>(), left_out = facts["batches_left_out"].get<int64_t>();
  EXPECT_EQ(TinyRun::metrics(tiny.path("run")).size(), static_cast<size_t>(batches / 8));
  EXPECT_EQ(left_out, batches % 8);
  EXPECT_GT(left_out, 0);
  EXPECT_NE(result.output.find(format("{} batches left out", left_out)), std::string::npos) << result.output;
}

}  // namespace
}  // namespace dflash
