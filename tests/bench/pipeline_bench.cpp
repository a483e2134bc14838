// The group `pipeline`: how well the stages overlap, what the post-processing thread is worth, and how fast states are
// packed.

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "common/base/format.h"
#include "common/base/stopwatch.h"
#include "common/data/captured_states.h"
#include "tests/bench/bench_table.h"
#include "tests/bench/timed_pipeline.h"
#include "tests/support/tiny_run.h"

namespace dflash::bench {
namespace {

constexpr const char* kStages = "5 targets + 3 drafters, timers of 12.5, 1.45 and 4.85 ms";

void bench_overlap(BenchTable& table) {
  TimedRun run;
  run.batches = 1998;
  const double bound = static_cast<double>(run.batches) * run.target_ms * 1e-3 / run.targets;
  std::vector<double> shares;
  for (int i = 0; i < 3; ++i) shares.push_back(bound / run_timed_pipeline(run));
  table.add({format("overlap efficiency, {}, 2 ready batches a drafter", kStages),
             median(shares),
             "of the bound",
             format("batches x target time / targets = {:.3f} s", bound),
             median(shares),
             0.99,
             median(shares) >= 0.99,
             {}});
  run.jitter = 0.3;
  const double best = simulate_pipeline(run);
  shares.clear();
  for (int i = 0; i < 3; ++i) shares.push_back(best / run_timed_pipeline(run));
  table.add({format("overlap at 30 % jitter, {}", kStages), median(shares), "of the best possible",
             format("the events of the same drawn times, simulated: {:.3f} s", best), median(shares), 0.99,
             median(shares) >= 0.99, format("{:.3f} of the bound without jitter", bound / best)});
}

void bench_async(BenchTable& table) {
  TimedRun run;
  run.batches = 600;
  const auto rate = [&](bool async) {
    run.async = async;
    return static_cast<double>(run.batches) / run_timed_pipeline(run);
  };
  table.add(format("asynchronous post-processing, {}", kStages), "batches/s", "the synchronous one",
            measure_paired([&] { return rate(false); }, [&] { return rate(true); }, 3), Goal{1.10});
}

void bench_pack(BenchTable& table) {
  for (const DType dtype : {DType::f32, DType::bf16}) {
    const BatchLayout layout = make_batch_layout(4096, 1024, {1, 3, 5, 7}, dtype);
    const std::vector<std::byte> captured(layout.captured_bytes());
    std::vector<std::byte> packed(layout.captured_bytes());
    const auto rate = [&](const auto& work) {
      const Stopwatch watch;
      for (int i = 0; i < 4; ++i) work();
      return 4 * static_cast<double>(captured.size()) / static_cast<double>(watch.elapsed_ns());
    };
    const auto copy = [&] { return rate([&] { std::memcpy(packed.data(), captured.data(), captured.size()); }); };
    const auto pack = [&](double strength) {
      return rate([&] {
        if (!pack_hidden_states_from_captured(captured, layout, {strength, 1, 1}, packed)) std::abort();
      });
    };
    (void)copy();
    const std::string what =
        format("pack_hidden_states_from_captured, {} x 4 layers of 1024, {}", layout.pack_tokens, dtype_code(dtype));
    table.add(what, "GB/s", "memcpy of the same bytes", measure_paired(copy, [&] { return pack(0); }, 8), Goal{0.85});
    table.add(what + ", with noise", "GB/s", "memcpy of the same bytes",
              measure_paired(copy, [&] { return pack(0.1); }, 2), std::nullopt);
  }
}

/// A real run of the built programs; tokens/s over the steps behind the first third.
double tokens_per_s(const test::TinyRun& tiny, bool async, int number) {
  const auto run = tiny.path(format("run-{}", number));
  const auto result = tiny.train(
      format("--set train.steps=60 --set pipeline.async_postprocess={} --set run.dir={}", async, run.string()));
  if (result.exit_code != 0) {
    std::fputs(result.output.c_str(), stderr);
    std::exit(1);
  }
  std::vector<double> rates;
  const std::vector<Json> lines = test::TinyRun::metrics(run);
  for (size_t i = lines.size() / 3; i < lines.size(); ++i) rates.push_back(lines[i].at("tokens_per_s").get<double>());
  return median(rates);
}

void bench_small_run(BenchTable& table) {
  const test::TinyRun tiny;
  int number = 0;
  table.add("a small run of the real programs on the cpu, 1 target + 1 drafter, asynchronous", "tokens/s",
            "the synchronous one",
            measure_paired([&] { return tokens_per_s(tiny, false, number++); },
                           [&] { return tokens_per_s(tiny, true, number++); }, 2),
            std::nullopt);
}

}  // namespace
}  // namespace dflash::bench

int main(int argc, char** argv) {
  using namespace dflash::bench;
  return run_group(argc, argv, "pipeline", {bench_overlap, bench_async, bench_pack, bench_small_run});
}
