// A run that fails while it trains: every process of it ends, with one clear line and the agreed exit code.

#include <gtest/gtest.h>

#include <chrono>
#include <cstring>
#include <future>
#include <limits>
#include <set>
#include <thread>

#include "common/base/deadline.h"
#include "tests/support/running_job.h"
#include "tests/support/tiny_run.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;
using test::TinyRun;

/// Names of all processes that a marked command started, at any remove.
std::set<std::string> marked_names(const std::string& mark) {
  std::set<std::string> names;
  for (const test::Process& process : test::marked_processes(mark)) names.insert(process.name);
  return names;
}

/// They may need a moment to be gone from /proc after mpirun has ended.
std::set<std::string> processes_left(const std::string& mark) {
  std::set<std::string> left = marked_names(mark);
  for (const Deadline deadline = Deadline::after(5s); !left.empty() && !deadline.expired();) {
    std::this_thread::sleep_for(50ms);
    left = marked_names(mark);
  }
  return left;
}

/// Where the batch of a line of bad_batches.jsonl lies.
std::filesystem::path kept_batch(const std::filesystem::path& run, const Json& bad) {
  return run / "bad_batches" / format("batch-{:012}", bad.at("sequence").get<int64_t>());
}

/// Replays the kept batch of that line: its states must show the same again. Returns what was printed.
Json look_again(const TinyRun& tiny, const std::filesystem::path& run, const Json& bad, const std::string& options,
                int exit_code) {
  const auto look =
      test::run_program(format("drafter_worker --solo {} --replay {} --batch {} {}", tiny.path("run.toml").string(),
                               kept_batch(run, bad).string(), bad.at("sequence").get<int64_t>(), options));
  EXPECT_EQ(look.exit_code, exit_code) << look.output;
  Json seen = parse_json(look.output, "what it printed");
  EXPECT_EQ(seen.at("tensors"), bad.at("tensors"));
  return seen;
}

TEST(FailingRun, StepsThatAreNotFiniteAreSkippedWrittenDownAndEndTheRun) {
  const TinyRun tiny;
  const std::string mark = "DFLASH_TEST_RUN=" + tiny.path("run").string();
  auto running = std::async(std::launch::async, [&] {
    return test::run_program("env " + mark + " dflash train " + tiny.path("run.toml").string() +
                             " --set train.lr=1e30");
  });
  std::set<std::string> seen;
  while (running.wait_for(5ms) != std::future_status::ready) seen.merge(marked_names(mark));
  const test::ProgramResult result = running.get();

  EXPECT_EQ(result.exit_code, 16) << result.output;
  const std::vector<Json> metrics = TinyRun::metrics(tiny.path("run"));
  ASSERT_GE(metrics.size(), 3U);
  const size_t first_bad = metrics.size() - 3;
  EXPECT_NE(result.output.find(format("steps {} to {} were not finite", first_bad + 1, first_bad + 3)),
            std::string::npos)
      << result.output;
  for (size_t step = 0; step < metrics.size(); ++step) {
    EXPECT_EQ(metrics[step].at("skipped").get<bool>(), step >= first_bad);
    EXPECT_EQ(metrics[step].at("loss").is_null(), step >= first_bad);
  }
  const std::vector<Json> bad = test::json_lines(tiny.path("run") / "bad_batches.jsonl");
  ASSERT_EQ(bad.size(), 3U);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(bad[i].at("step").get<size_t>(), first_bad + i + 1);
    EXPECT_EQ(bad[i].at("sequence").get<size_t>(), first_bad + i) << "one batch a step";
    EXPECT_EQ(bad[i].at("tensors").at("layer 2").at("nan"), 0) << "it was not the target";
    EXPECT_TRUE(exists(kept_batch(tiny.path("run"), bad[i]) / "recording.json"));
  }
  for (const char* program : {"mpirun", "coordinator", "target_worker", "drafter_worker"})
    EXPECT_TRUE(seen.contains(program)) << program << " was not found while it ran: the search does not work";
  EXPECT_EQ(processes_left(mark), std::set<std::string>());
}

/// The simulated device copies batches and trains on them on its own thread: what is written down is the same.
TEST(FailingRun, ALossThatIsNotFiniteIsToldOfItsBatchOnEveryDevice) {
  const TinyRun tiny;
  std::vector<std::vector<Json>> bad;
  for (const char* device : {"cpu", "sim"}) {
    const std::filesystem::path run = tiny.path(device);
    const auto result =
        tiny.train(format("--set train.lr=1e30 --set train.accumulation_steps=2 --set run.dir={} "
                          "--set run.device={}",
                          run.string(), device));
    EXPECT_EQ(result.exit_code, 16) << result.output;
    bad.push_back(test::json_lines(run / "bad_batches.jsonl"));
    ASSERT_GE(bad.back().size(), 3U);
    const Json& first = bad.back()[0];
    EXPECT_EQ(first.at("reason"), "the loss is not finite");
    EXPECT_EQ(first.at("tensors").at("layer 2").at("nan"), 0);
    // The states are sound: with other weights the batch that was kept has a loss.
    (void)look_again(tiny, run, first, "--set run.device=cpu", 0);
  }
  EXPECT_EQ(bad[0], bad[1]);
}

/// A target of its own whose embedding of token 93 is not a number; no text of the tiny run holds it.
std::filesystem::path write_target_with_a_nan(const TinyRun& tiny) {
  const std::filesystem::path folder = tiny.path("target");
  std::filesystem::copy(TinyRun::target(), folder);
  std::string file = read_text(folder / "model.safetensors");
  uint64_t header_bytes = 0;
  std::memcpy(&header_bytes, file.data(), sizeof(header_bytes));
  const Json header = parse_json(file.substr(8, header_bytes), "the header");
  const Json& embedding = header.at("model.embed_tokens.weight");
  const auto width = embedding.at("shape")[1].get<size_t>();
  EXPECT_EQ(embedding.at("dtype"), "F32");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const size_t place = 8 + header_bytes + embedding.at("data_offsets")[0].get<size_t>() + 93 * width * sizeof(nan);
  std::memcpy(file.data() + place, &nan, sizeof(nan));
  write_text(folder / "model.safetensors", file);
  return folder;
}

TEST(FailingRun, ABatchWithoutFiniteStatesIsLeftOutAndNamed) {
  const TinyRun tiny;
  const std::filesystem::path target = write_target_with_a_nan(tiny);
  write_text(tiny.path("documents.jsonl"),
             TinyRun::documents(60) + "{\"input_ids\":[1,2,3,93,4,5,6,7],\"loss_mask\":[0,0,0,0,1,1,1,1]}\n");
  for (const std::string way : {"", " --set pipeline.split_fc_layers=true --set run.device=sim"}) {
    const std::filesystem::path run = tiny.path("run" + std::to_string(way.size()));
    const auto result = tiny.train("--set train.steps=0 --set train.epochs=1 --set target.model=" + target.string() +
                                   " --set run.dir=" + run.string() + way);
    ASSERT_EQ(result.exit_code, 0) << "one bad step is no reason to end: " << result.output;
    const std::vector<Json> bad = test::json_lines(run / "bad_batches.jsonl");
    ASSERT_EQ(bad.size(), 1U);
    EXPECT_EQ(bad[0].at("reason"), "the target's hidden states are not finite");
    EXPECT_GT(bad[0].at("tensors").at("layer 0").at("nan"), 0);
    // The batch was kept, and shows the same again.
    const Json seen = look_again(tiny, run, bad[0], "--set target.model=" + target.string(), 16);
    EXPECT_EQ(seen.at("finite"), false);
    for (const Json& line : TinyRun::metrics(run)) {
      EXPECT_EQ(line.at("skipped").get<bool>(), line.at("step") == bad[0].at("step")) << line.dump();
      EXPECT_EQ(line.at("loss").is_null(), line.at("skipped").get<bool>());
    }
  }
}

/// Weights so large that the loss is still a number, and its gradient is not.
TEST(FailingRun, AGradientThatIsNotFiniteNamesAndKeepsItsBatch) {
  const TinyRun tiny;
  for (const char* device : {"cpu", "sim"}) {
    const std::filesystem::path run = tiny.path(device);
    const auto result =
        tiny.train(format("--set train.lr=1e12 --set checkpoint.every_steps=1 --set run.dir={} "
                          "--set run.device={}",
                          run.string(), device));
    EXPECT_EQ(result.exit_code, 16) << result.output;
    const std::vector<Json> bad = test::json_lines(run / "bad_batches.jsonl");
    ASSERT_EQ(bad.size(), 3U);
    EXPECT_EQ(bad[0].at("step"), 2);
    EXPECT_EQ(bad[0].at("reason"), "the gradients, summed over all drafters, are not finite");
    // With the weights of that step it shows the same again.
    const Json seen = look_again(tiny, run, bad[0], "--checkpoint " + (run / "checkpoints/step-00000002").string(), 16);
    EXPECT_TRUE(seen.at("loss").is_number()) << "of the two it is the gradient";
    EXPECT_TRUE(seen.at("grad_norm").is_null());
  }
}

}  // namespace
}  // namespace dflash
