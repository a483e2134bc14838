#include "common/plan/memory_plan.h"

#include <gtest/gtest.h>

#include "common/config/run_config.h"
#include "common/data/marked_states.h"
#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kEnough = int64_t{1} << 40;

/// The four-layer target of golden/drafter/12_decode: V 96, H 48, MLP 96, 4 heads and 2 key/value heads of 12.
class MemoryPlanTest : public testing::Test {
 protected:
  MemoryPlanTest() {
    write_text(folder_.path() / "documents.jsonl", std::string(4000, ' '));
    write_text(folder_.path() / "run.toml",
               "[run]\ndir = 'run'\n[target]\nmodel = '" + target_.string() +
                   "'\n[drafter]\nmask_token_id = 95\nblock_size = 8\nnum_layers = 2\ntarget_layer_ids = [0, 2]\n"
                   "[data]\nfiles = ['documents.jsonl', 'documents.jsonl']\npack_tokens = 128\n"
                   "[train]\nsteps = 12\nnum_anchors = 32\n[checkpoint]\nevery_steps = 5\n");
  }
  MemoryPlan plan(int targets, int drafters, const std::vector<std::string>& overrides = {}) {
    const RunConfig config = load_run_config(folder_.path() / "run.toml", overrides);
    run_ = make_run_plan(config, read_model_config(target_), targets, drafters,
                         {.cores = 4, .memory_bytes = int64_t{1} << 30});
    return make_memory_plan(config, run_);
  }
  static int64_t bytes(const RoleMemory& role, const std::string& what) {
    for (const MemoryPart& part : role.parts) {
      if (part.what == what) return part.bytes;
    }
    ADD_FAILURE() << role.role << " has no part " << what;
    return -1;
  }

  TempFolder folder_;
  fs::path target_ = test::source_dir() / "tests/golden/drafter/12_decode/target";
  RunPlan run_;
};

// A layer: norms 48 + 48 + 12 + 12, MLP 3 x 96 x 48, q and o 48 x 48 each, k and v 24 x 48 each.
constexpr int64_t kLayer = 120 + 13824 + 2 * 2304 + 2 * 1152;
static_assert(kLayer == 20856);
constexpr int64_t kParameters = 48 * 96 + 48 + 48 + 2 * kLayer;  // fc and two norms

TEST_F(MemoryPlanTest, TheTargetHoldsItsLayersUpToTheDeepestCapturedOne) {
  const MemoryPlan memory = plan(2, 1);
  EXPECT_EQ(memory.target.processes, 2);
  EXPECT_EQ(bytes(memory.target, "weights"), 4 * (96 * 48 + 3 * kLayer));
  EXPECT_EQ(bytes(memory.target, "captured layers"), 2 * 128 * 2 * 48 * 4);
  EXPECT_EQ(bytes(memory.target, "activations"), 128 * (3 * 48 + 6 * 48) * 4);  // 6 x heads x width = 3 x MLP
  EXPECT_EQ(bytes(memory.target, "documents, at most"), 8000 / 4 * 10);
  const MemoryPlan half = plan(2, 1, {"target.dtype=bfloat16"});
  EXPECT_EQ(bytes(half.target, "weights"), 2 * (96 * 48 + 3 * kLayer));
  EXPECT_EQ(bytes(half.target, "captured layers"), 2 * 128 * 2 * 48 * 2);
}

TEST_F(MemoryPlanTest, ATargetLaysABatchOutOnADeviceOfItsOwn) {
  for (const MemoryPart& part : plan(1, 1).target.parts) EXPECT_NE(part.what, "packed states");
  const MemoryPlan memory = plan(1, 1, {"run.device=sim"});
  EXPECT_EQ(bytes(memory.target, "packed states"), static_cast<int64_t>(marked_states_bytes(run_.layout)));
  EXPECT_EQ(memory.channels.bytes(), plan(1, 1).channels.bytes()) << "registered memory is the ring's own";
}

TEST_F(MemoryPlanTest, TheDrafterHoldsFourCopiesAndWithSeveralAFifth) {
  const MemoryPlan memory = plan(1, 1);
  EXPECT_EQ(bytes(memory.drafter, "parameters with gradients and moments"), 16 * kParameters);
  EXPECT_EQ(bytes(memory.drafter, "embedding and head of the target"), 2 * 96 * 48 * 4);
  EXPECT_EQ(bytes(memory.drafter, "blocks"), 2 * 32 * 8 * (4 * 48 + 3 * 48 + 3 * 24 + 4 * 96) * 4);
  EXPECT_EQ(bytes(memory.drafter, "attention weights, at most"), 2 * 4 * 32 * 8 * (64 + 8) * 4);
  EXPECT_EQ(bytes(memory.drafter, "context"), 128 * (96 + 4 * 48) * 4);
  EXPECT_EQ(bytes(memory.drafter, "logits"), 3 * 16 * 1024 * 1024);
  const MemoryPlan two = plan(1, 2, {"train.num_anchors=2000000000"});  // at most every position of the pack
  EXPECT_EQ(two.drafter.processes, 2);
  EXPECT_EQ(bytes(two.drafter, "parameters with gradients and moments"), 20 * kParameters);
  EXPECT_EQ(bytes(two.drafter, "blocks"), 4 * bytes(memory.drafter, "blocks"));
}

TEST_F(MemoryPlanTest, ADrafterHoldsCopiesOfBatchesWhereItNeedsThem) {
  const auto copies = [&](const std::vector<std::string>& overrides) {
    const MemoryPlan memory = plan(1, 1, overrides);
    return bytes(memory.drafter, "batches on the device") / static_cast<int64_t>(run_.layout.slot_bytes);
  };
  for (const MemoryPart& part : plan(1, 1).drafter.parts) EXPECT_NE(part.what, "batches on the device");
  EXPECT_EQ(copies({"run.device=sim"}), 2);
  EXPECT_EQ(copies({"pipeline.split_fc_layers=true"}), 2);
  EXPECT_EQ(copies({"run.device=sim", "train.noise=constant", "train.noise_from=1"}), 4);
}

TEST_F(MemoryPlanTest, WithCudaTheNodeKeepsTheDocumentsAlone) {
  const MemoryPlan memory = plan(1, 1, {"run.device=cuda"});
  EXPECT_EQ(bytes(memory.target, "packed states"), static_cast<int64_t>(run_.layout.captured_bytes()) + 64);
  for (const MemoryPart& part : memory.target.parts) EXPECT_EQ(part.on_gpu, part.key != "data.files") << part.what;
  for (const MemoryPart& part : memory.drafter.parts) EXPECT_TRUE(part.on_gpu) << part.what;
  for (const MemoryPart& part : memory.channels.parts) EXPECT_FALSE(part.on_gpu) << part.what;
  EXPECT_NO_THROW((void)check_memory_plan(memory, memory.channels.bytes() + (1 << 20), kEnough));
  EXPECT_NE(describe_memory_plan(memory).find("weights (GPU)"), std::string::npos) << describe_memory_plan(memory);
}

TEST_F(MemoryPlanTest, AGpuMustHoldItsWorkers) {
  const MemoryPlan memory = plan(2, 1, {"run.device=cuda"});
  const auto certain = [](const RoleMemory& role) {
    int64_t sum = 0;
    for (const MemoryPart& part : role.parts) sum += part.on_gpu && part.certain ? part.bytes : 0;
    return sum;
  };
  const auto all = [](const RoleMemory& role) {
    int64_t sum = 0;
    for (const MemoryPart& part : role.parts) sum += part.on_gpu ? part.bytes : 0;
    return sum;
  };
  const int64_t target = certain(memory.target), drafter = certain(memory.drafter);
  // Two GPUs: the first has target 0 and the drafter, the second target 1.
  EXPECT_NO_THROW((void)check_gpu_memory(memory, {target + drafter, target}));
  expect_error(ErrorKind::config, "GPU 0", [&] { (void)check_gpu_memory(memory, {target + drafter - 1, target}); });
  expect_error(ErrorKind::config, "GPU 1", [&] { (void)check_gpu_memory(memory, {target + drafter, target - 1}); });
  expect_error(ErrorKind::config, "GPU 0", [&] { (void)check_gpu_memory(memory, {2 * target + drafter - 1}); });
  EXPECT_TRUE(check_gpu_memory(memory, {all(memory.target) + all(memory.drafter), all(memory.target)}).empty());
  EXPECT_EQ(check_gpu_memory(memory, {target + drafter, all(memory.target)}).size(), 1U);
  EXPECT_TRUE(check_gpu_memory(plan(2, 1), {1}).empty()) << "nothing lies on a GPU";
}

TEST_F(MemoryPlanTest, ASlidingLayerSeesItsWindowAtMost) {
  const std::string mixed = "drafter.layer_types=[\"sliding\", \"full\"]";
  const auto weights = [&](const std::string& window) {
    return bytes(plan(1, 1, {mixed, "drafter.sliding_window=" + window}).drafter, "attention weights, at most");
  };
  EXPECT_EQ(weights("16"), 4 * 32 * 8 * ((2 * 16 + 8) + (64 + 8)) * 4);
  EXPECT_EQ(weights("100"), 2 * 4 * 32 * 8 * (64 + 8) * 4);  // wider than half a pack
}

TEST_F(MemoryPlanTest, BiasesAreParameters) {
  const MemoryPlan memory = plan(1, 1, {"drafter.attention_bias=true"});
  EXPECT_EQ(bytes(memory.drafter, "parameters with gradients and moments"),
            16 * (kParameters + 2 * (48 + 24 + 24 + 48)));  // q, k, v, o
}

TEST_F(MemoryPlanTest, ATiedHeadStandsOnce) {
  fs::copy(target_, folder_.path() / "tied");
  std::string config = read_text(target_ / "config.json");
  const std::string untied = "\"tie_word_embeddings\": false";
  ASSERT_NE(config.find(untied), std::string::npos);
  config.replace(config.find(untied), untied.size(), "\"tie_word_embeddings\": true");
  write_text(folder_.path() / "tied/config.json", config);
  target_ = folder_.path() / "tied";
  EXPECT_EQ(bytes(plan(1, 1, {"target.model=" + target_.string()}).drafter, "embedding and head of the target"),
            96 * 48 * 4);
}

TEST_F(MemoryPlanTest, ChannelsStandOncePerLinkOrAtBothEnds) {
  const MemoryPlan shared = plan(3, 2);
  EXPECT_EQ(shared.channels.processes, 6);
  EXPECT_EQ(shared.channels.bytes(), run_.slots_per_link * static_cast<int64_t>(run_.layout.slot_bytes));
  for (const std::vector<std::string>& sends :
       {std::vector<std::string>{"pipeline.channel=mpi"}, {"pipeline.channel=nccl", "run.device=cuda"}}) {
    const MemoryPlan sent = plan(3, 2, sends);
    EXPECT_EQ(sent.channels.processes, 6);
    EXPECT_EQ(bytes(sent.channels, "slots of a link"), shared.channels.bytes());
    EXPECT_EQ(bytes(sent.channels, "slots at its sender"), 2 * static_cast<int64_t>(run_.layout.slot_bytes));
    for (const MemoryPart& part : sent.channels.parts) EXPECT_FALSE(part.on_gpu) << "pinned memory is the node's";
  }
}

TEST_F(MemoryPlanTest, CheckpointsThatStandOnTheDiskAtOnce) {
  const std::vector<std::pair<std::vector<std::string>, int64_t>> cases = {
      {{}, 4},                                              // 0, 5, 10, 12
      {{"checkpoint.every_steps=6"}, 3},                    // 0, 6, 12
      {{"checkpoint.every_steps=12"}, 2},                   // 0, 12
      {{"checkpoint.every_steps=100"}, 2},                  // 0, 12
      {{"checkpoint.every_steps=0"}, 2},                    // 0, 12
      {{"checkpoint.every_steps=1"}, 4},                    // step 0 and the newest three
      {{"train.steps=0", "checkpoint.every_steps=5"}, 4}};  // nobody knows yet
  for (const auto& [overrides, expected] : cases) {
    EXPECT_EQ(plan(1, 1, overrides).checkpoints, expected) << testing::PrintToString(overrides);
  }
}

TEST_F(MemoryPlanTest, MissingFilesAreInputFiles) {
  expect_error(ErrorKind::input_file, "nowhere.jsonl", [&] { (void)plan(1, 1, {"data.files=[\"nowhere.jsonl\"]"}); });
  fs::create_directory(folder_.path() / "empty");
  expect_error(ErrorKind::input_file, "no weights here",
               [&] { (void)plan(1, 1, {"target.model=" + (folder_.path() / "empty").string()}); });
}

TEST_F(MemoryPlanTest, PreparedFoldersAreMapped) {
  write_text(folder_.path() / "prepared" / "prepared.json", "{}");
  const MemoryPlan memory = plan(1, 1, {"data.files=[\"" + (folder_.path() / "prepared").string() + "\"]"});
  for (const MemoryPart& part : memory.target.parts) {
    if (part.key == "data.files") {
      EXPECT_EQ(part.bytes, 0);
    }
  }
  fs::remove(folder_.path() / "prepared" / "prepared.json");
  expect_error(ErrorKind::input_file, "prepared",
               [&] { (void)plan(1, 1, {"data.files=[\"" + (folder_.path() / "prepared").string() + "\"]"}); });
}

TEST_F(MemoryPlanTest, SizesBeyondEveryMachineDoNotOverflow) {
  const MemoryPlan memory = plan(1, 2, {"drafter.intermediate_size=2147483647", "drafter.num_layers=128"});
  const Error error = error_of([&] { (void)check_memory_plan(memory, kEnough, kEnough); });
  EXPECT_TRUE(says(error, {"drafter.num_layers asks for too much memory", "2 x "}));
}

TEST_F(MemoryPlanTest, IsDescribedForAPerson) {
  const std::string text = describe_memory_plan(plan(2, 1));
  EXPECT_NE(text.find("2 x target = "), std::string::npos) << text;
  EXPECT_NE(text.find("262.4 KiB weights, 96.0 KiB captured layers, about "), std::string::npos) << text;
  EXPECT_NE(text.find("725.2 KiB parameters with gradients and moments"), std::string::npos) << text;
  EXPECT_NE(text.find("at most 4 of them at once"), std::string::npos) << text;
}

// Made by hand: 3 targets of 10 MiB, one drafter of 20 MiB and an estimate of 40 MiB, 4 checkpoints of 6 MiB.
MemoryPlan example() {
  constexpr int64_t kMiB = 1 << 20;
  MemoryPlan plan;
  plan.target = {"target", 3, {{"weights", "target.model", 10 * kMiB, true}}};
  plan.drafter = {
      "drafter",
      1,
      {{"parameters", "drafter.num_layers", 20 * kMiB, true}, {"blocks", "train.num_anchors", 40 * kMiB, false}}};
  plan.coordinator = {"coordinator", 1, {}};
  plan.channels = {"channels", 3, {{"slots of a link", "pipeline.queue_bytes", kMiB, true}}};
  plan.checkpoint_bytes = 6 * kMiB;
  plan.checkpoints = 4;
  return plan;
}

TEST(MemoryCheck, RefusesWhatCannotFitAndNamesTheLargestPart) {
  constexpr int64_t kLeast = int64_t{53} << 20;
  EXPECT_EQ(check_memory_plan(example(), int64_t{93} << 20, kEnough), std::vector<std::string>{});
  const auto doubts = check_memory_plan(example(), kLeast, kEnough);
  ASSERT_EQ(doubts.size(), 1u);
  EXPECT_EQ(doubts[0],
            "the memory may not suffice: the run may take 93.0 MiB of this node's 53.0 MiB; the largest part is blocks "
            "(drafter): 1 x 40.0 MiB; lower train.num_anchors if it fails");
  const Error error = error_of([&] { (void)check_memory_plan(example(), kLeast - 1, kEnough); });
  EXPECT_EQ(error.kind(), ErrorKind::config);
  EXPECT_TRUE(says(error, {"target.model asks for too much memory: the run takes at least 53.0 MiB",
                           "the largest part is weights (target): 3 x 10.0 MiB"}));
}

TEST(MemoryCheck, RefusesADiskThatIsTooSmall) {
  EXPECT_NO_THROW((void)check_memory_plan(example(), kEnough, int64_t{24} << 20));
  const Error error = error_of([&] { (void)check_memory_plan(example(), kEnough, (int64_t{24} << 20) - 1); });
  EXPECT_EQ(error.kind(), ErrorKind::no_space);
  EXPECT_TRUE(says(error, {"run.dir needs 24.0 MiB for 4 checkpoints of 6.0 MiB"}));
}

}  // namespace
}  // namespace dflash
