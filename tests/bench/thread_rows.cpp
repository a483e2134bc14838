#include "tests/bench/thread_rows.h"

#include <atomic>
#include <thread>
#include <vector>

#include "common/base/format.h"
#include "common/base/stopwatch.h"
#include "tests/bench/cpu_clock.h"

namespace dflash::bench {
namespace {

constexpr int kRounds = 8;
constexpr double kGoal = 1.9;
constexpr double kFreeCores = 1.95;  // below, two threads of bare arithmetic show that there are not two

template <typename Work>
double run_threads_s(int threads, const Work& work) {
  const Stopwatch watch;
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) running.emplace_back(work);
  for (std::thread& thread : running) thread.join();
  return static_cast<double>(watch.elapsed_ns()) * 1e-9;
}

/// Work that only needs a core, by several threads: what the machine can give two threads at this time.
double arithmetic_rate(int threads) {
  constexpr int kPieces = 64;
  std::atomic<int> next{0};
  std::atomic<uint64_t> sum{0};
  const double wall_s = run_threads_s(threads, [&] {
    uint64_t value = 1;
    while (next.fetch_add(1) < kPieces) {
      for (int i = 0; i < 2'000'000; ++i) value = (value ^ (value >> 7U)) * 0x9E3779B97F4A7C15U + 1;
    }
    sum += value;
  });
  return sum == 0 ? 0 : kPieces / wall_s;
}

/// All documents, by several threads that begin with empty caches of words. `cpu_s`: what they used together.
double encode_all_s(const MeasuredText& text, const Tokenizer& tokenizer, int threads, double& cpu_s) {
  std::atomic<size_t> next{0};
  const double cpu_before_s = process_cpu_s();
  const double wall_s = run_threads_s(threads, [&] {
    TokenizerScratch scratch;
    Encoding encoding;
    for (size_t i = 0; (i = next.fetch_add(1)) < text.documents().size();)
      tokenizer.encode(text.documents()[i], {.special_tokens = false}, scratch, encoding);
  });
  cpu_s = process_cpu_s() - cpu_before_s;
  return wall_s;
}

Row wall_row(const std::string& name, const Paired& paired, const Paired& bare) {
  Row row{format("encode 20 MB of mixed text, two threads, {}", name),
          paired.b,
          "MB/s",
          format("one thread ({:.4g} MB/s)", paired.a),
          paired.ratio,
          kGoal,
          {},
          {}};
  row.remark = format("worst pair {:.3f}; control {:.3f}; bare arithmetic by two threads: {:.3f} of one", paired.worst,
                      paired.control, bare.ratio);
  if (paired.trusted() && bare.ratio >= kFreeCores) {
    row.met = paired.ratio >= kGoal;
  } else {
    row.remark += "; the machine has no two free cores";
  }
  return row;
}

}  // namespace

void measure_two_threads(const MeasuredText& text, const Tokenizer& tokenizer, const std::string& name,
                         BenchTable& table) {
  std::vector<double> cpu_ratios;
  double one_cpu_s = 0, two_cpu_s = 0;
  const auto one = [&] { return text.megabytes() / encode_all_s(text, tokenizer, 1, one_cpu_s); };
  const auto two = [&] {
    const double wall_s = encode_all_s(text, tokenizer, 2, two_cpu_s);
    cpu_ratios.push_back(two_cpu_s / one_cpu_s);
    return text.megabytes() / wall_s;
  };
  const Paired bare = measure_paired([] { return arithmetic_rate(1); }, [] { return arithmetic_rate(2); }, kRounds);
  table.add(wall_row(name, measure_paired(one, two, kRounds), bare));
  // Shows on a busy machine too what two threads do to each other.
  table.add({format("time of cores for the same text, two threads, {}", name),
             median(cpu_ratios),
             "of one thread's",
             "",
             {},
             {},
             {},
             {}});
}

}  // namespace dflash::bench
