// The group `text`: how fast texts become ids, one thread against the Hugging Face library with one thread, and two
// threads against one; and how fast a tokenizer.json is read. 20 MB of mixed text (mixed_text.h), in documents.
//
// Both sides encode without offsets and without special tokens, documents one after the other. The text is measured in
// four parts of 5 MB, each A B B A, and each pass begins with an empty cache of words. Of the library's three ways to
// encode the fastest is taken; it is timed inside its process, without turning ids into Python's numbers. Ours includes
// the vector of ids. The ids of both must be equal in all documents. Against the library, time is that of the process
// on a core; two threads are measured by the clock on the wall.
//
// DFLASH_BENCH_PYTHON: a Python that has the library (deploy/bench makes one). Published vocabularies are read from
// ../shared/golden/text, where they are. DFLASH_BENCH_VOCABULARIES: names with a blank between; only these.

#include <zlib.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <thread>
#include <vector>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"
#include "common/base/json.h"
#include "common/base/stopwatch.h"
#include "common/text/tokenizer/tokenizer.h"
#include "tests/bench/bench_table.h"
#include "tests/bench/mixed_text.h"
#include "tests/bench/reference_tokenizer.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

namespace dflash::bench {
namespace {

namespace fs = std::filesystem;
constexpr size_t kTextBytes = 20'000'000;
constexpr int kParts = 4, kLoadRounds = 6, kThreadRounds = 8;
constexpr double kFreeCores = 1.95;  // below, two threads of bare arithmetic show that there are not two
constexpr size_t kLargeFileBytes = 10'000'000;

std::string read_gzip(const fs::path& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) throw Error(ErrorKind::input_file, "cannot open " + path.string());
  std::string text;
  char part[65536];
  for (int size = 0; (size = gzread(file, part, sizeof part)) > 0;) text.append(part, static_cast<size_t>(size));
  gzclose(file);
  return text;
}

/// The texts of the golden vectors, where they are.
void add_golden_texts(std::vector<std::string>& documents) {
  const fs::path rows = test::source_dir().parent_path() / "shared" / "golden" / "text" / "vectors" / "qwen3.jsonl";
  if (!fs::exists(rows)) return;
  const std::string text = read_gzip(rows);
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    documents.push_back(Json::parse(text.substr(at, end - at)).at("text").get<std::string>());
    at = end + 1;
  }
}

/// Work that only needs a core, by several threads: what the machine can give two threads at this time.
double arithmetic_rate(int threads) {
  constexpr int kPieces = 64;
  std::atomic<int> next{0};
  std::atomic<uint64_t> sum{0};
  const auto work = [&] {
    uint64_t value = 1;
    while (next.fetch_add(1) < kPieces) {
      for (int i = 0; i < 2'000'000; ++i) value = (value ^ (value >> 7U)) * 0x9E3779B97F4A7C15U + 1;
    }
    sum += value;
  };
  const Stopwatch watch;
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) running.emplace_back(work);
  for (std::thread& thread : running) thread.join();
  return sum == 0 ? 0 : kPieces * 1e9 / static_cast<double>(watch.elapsed_ns());
}

double process_cpu_s() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

struct Vocabulary {
  std::string name;
  fs::path file;
};

class TextBench {
 public:
  explicit TextBench(BenchTable& table)
      : table_(table), documents_(make_mixed_text(test::source_dir(), kTextBytes, 1)) {
    add_golden_texts(documents_);
    for (const std::string& text : documents_) text_bytes_ += text.size();
    start_reference();
    find_vocabularies();
  }

  void run() {
    for (const Vocabulary& vocabulary : vocabularies_) {
      const Tokenizer tokenizer = Tokenizer::read(vocabulary.file);
      if (reference_) {
        (void)reference_->ask("load " + vocabulary.file.string());
        against_reference(tokenizer, vocabulary.name);
        load_file(vocabulary);
      }
      two_threads(tokenizer, vocabulary.name);
    }
  }

 private:
  void start_reference() {
    const char* python = std::getenv("DFLASH_BENCH_PYTHON");
    if (python == nullptr || *python == '\0') {
      std::puts("text: DFLASH_BENCH_PYTHON is not set: nothing is compared with the reference library");
      return;
    }
    std::string lines;
    for (const std::string& text : documents_) lines += Json(text).dump() + "\n";
    write_text(folder_.path() / "documents.jsonl", lines);
    reference_.emplace(fs::path(python), folder_.path() / "documents.jsonl");
    library_ = "tokenizers " + reference_->version();
  }

  void find_vocabularies() {
    const char* wanted = std::getenv("DFLASH_BENCH_VOCABULARIES");
    const auto is_wanted = [wanted](const std::string& name) {
      return wanted == nullptr || (" " + std::string(wanted) + " ").find(" " + name + " ") != std::string::npos;
    };
    if (is_wanted("quickstart")) {
      vocabularies_.push_back(
          {"quickstart", test::source_dir() / "deploy" / "quickstart-data" / "target" / "tokenizer.json"});
    }
    const fs::path folder = test::source_dir().parent_path() / "shared" / "golden" / "text" / "tokenizers";
    for (const char* name :
         {"qwen3", "qwen3_5", "deepseek", "tekken", "llama3", "olmo2", "gpt2", "smollm2", "mistral_v1", "mistral_v3"}) {
      if (!is_wanted(name)) continue;
      const fs::path packed = folder / name / "tokenizer.json.gz";
      if (!fs::exists(packed)) {
        std::printf("text: the vocabulary %s is not there, and is left out\n", name);
        continue;
      }
      const fs::path file = folder_.path() / (std::string(name) + ".json");
      write_text(file, read_gzip(packed));
      vocabularies_.push_back({name, file});
    }
  }

  /// All documents, by several threads that begin with empty caches of words. `cpu_s`: what they used together.
  double encode_all_s(const Tokenizer& tokenizer, int threads, double& cpu_s) const {
    std::atomic<size_t> next{0};
    const auto work = [&] {
      TokenizerScratch scratch;
      Encoding encoding;
      for (size_t i = 0; (i = next.fetch_add(1)) < documents_.size();)
        tokenizer.encode(documents_[i], {.special_tokens = false}, scratch, encoding);
    };
    const Stopwatch watch;
    const double cpu_before_s = process_cpu_s();
    std::vector<std::thread> running;
    for (int i = 0; i < threads; ++i) running.emplace_back(work);
    for (std::thread& thread : running) thread.join();
    cpu_s = process_cpu_s() - cpu_before_s;
    return static_cast<double>(watch.elapsed_ns()) * 1e-9;
  }

  [[nodiscard]] double rate(double seconds) const { return static_cast<double>(text_bytes_) * 1e-6 / seconds; }

  struct Part {
    size_t first, end;
    double megabytes;
  };
  [[nodiscard]] Part part(size_t number) const {
    Part part{documents_.size() * number / kParts, documents_.size() * (number + 1) / kParts, 0};
    for (size_t i = part.first; i < part.end; ++i) part.megabytes += static_cast<double>(documents_[i].size()) * 1e-6;
    return part;
  }

  [[nodiscard]] double reference_rate(const Part& part) {
    const std::string answer =
        reference_->ask(format("encode {} {} {}", part.first, part.end, (folder_.path() / "ids").string()));
    return part.megabytes / std::stod(answer);
  }

  [[nodiscard]] double own_rate(const Part& part, const Tokenizer& tokenizer) const {
    TokenizerScratch scratch;
    Encoding encoding;
    const double begin_s = process_cpu_s();
    for (size_t i = part.first; i < part.end; ++i)
      tokenizer.encode(documents_[i], {.special_tokens = false}, scratch, encoding);
    return part.megabytes / (process_cpu_s() - begin_s);
  }

  /// Those that the reference library wrote last must be ours.
  void compare_ids(const Part& part, const Tokenizer& tokenizer, const std::string& name) const {
    const MappedFile mapped(folder_.path() / "ids");
    const auto* theirs = reinterpret_cast<const uint32_t*>(mapped.bytes().data());
    TokenizerScratch scratch;
    Encoding encoding;
    for (size_t i = part.first; i < part.end; ++i) {
      tokenizer.encode(documents_[i], {.special_tokens = false}, scratch, encoding);
      const std::vector<uint32_t> expected(theirs + 1, theirs + 1 + *theirs);
      theirs += 1 + *theirs;
      if (encoding.ids == expected) continue;
      const auto place = std::ranges::mismatch(encoding.ids, expected).in1 - encoding.ids.begin();
      throw Error(ErrorKind::internal, format("{}: id {} differs from the reference library's in the document {}", name,
                                              place, Json(documents_[i]).dump()));
    }
  }

  void against_reference(const Tokenizer& tokenizer, const std::string& name) {
    const std::string way = reference_->ask("choose");
    std::vector<double> abba;
    for (size_t number = 0; number < kParts; ++number) {
      const Part now = part(number);
      abba.push_back(reference_rate(now));
      compare_ids(now, tokenizer, name);
      abba.insert(abba.end(), {own_rate(now, tokenizer), own_rate(now, tokenizer)});
      abba.push_back(reference_rate(now));
    }
    table_.add(format("encode 20 MB of mixed text, one thread, {}", name), "MB/s",
               format("{}, {}, one thread", library_, way), pair_up(abba), Goal{1.5});
    std::printf("    ids equal in all documents\n");
  }

  void load_file(const Vocabulary& vocabulary) {
    const double size_mb = static_cast<double>(fs::file_size(vocabulary.file)) * 1e-6;
    const auto ours = [&] {
      const double begin_s = process_cpu_s();
      (void)Tokenizer::read(vocabulary.file);
      return size_mb / (process_cpu_s() - begin_s);
    };
    const auto theirs = [&] { return size_mb / std::stod(reference_->ask("load " + vocabulary.file.string())); };
    table_.add(format("load a tokenizer.json of {:.1f} MB, {}", size_mb, vocabulary.name), "MB/s",
               library_ + ", from_file", measure_paired(theirs, ours, kLoadRounds),
               size_mb * 1e6 >= kLargeFileBytes ? std::optional<Goal>{Goal{1.0}} : std::nullopt);
  }

  /// What two threads cost in time of cores shows on a busy machine too what they do to each other.
  void two_threads(const Tokenizer& tokenizer, const std::string& name) {
    std::vector<double> cpu_ratios;
    double one_cpu_s = 0, two_cpu_s = 0;
    const auto one = [&] { return rate(encode_all_s(tokenizer, 1, one_cpu_s)); };
    const auto two = [&] {
      const double wall_s = encode_all_s(tokenizer, 2, two_cpu_s);
      if (one_cpu_s > 0) cpu_ratios.push_back(two_cpu_s / one_cpu_s);
      return rate(wall_s);
    };
    const Paired bare =
        measure_paired([] { return arithmetic_rate(1); }, [] { return arithmetic_rate(2); }, kThreadRounds);
    const Paired paired = measure_paired(one, two, kThreadRounds);
    Row row{format("encode 20 MB of mixed text, two threads, {}", name),
            paired.b,
            "MB/s",
            format("one thread ({:.4g} MB/s)", paired.a),
            paired.ratio,
            1.9,
            {},
            {}};
    row.remark = format("worst pair {:.3f}; control {:.3f}; bare arithmetic by two threads: {:.3f} of one",
                        paired.worst, paired.control, bare.ratio);
    if (paired.trusted() && bare.ratio >= kFreeCores) {
      row.met = paired.ratio >= *row.goal;
    } else {
      row.remark += "; the machine has no two free cores";
    }
    table_.add(std::move(row));
    table_.add({format("time of cores for the same text, two threads, {}", name),
                median(cpu_ratios),
                "of one thread's",
                "",
                {},
                {},
                {},
                {}});
  }

  BenchTable& table_;
  const TempFolder folder_;
  std::vector<std::string> documents_;
  size_t text_bytes_ = 0;
  std::optional<ReferenceTokenizer> reference_;
  std::string library_;
  std::vector<Vocabulary> vocabularies_;
};

void bench_text(BenchTable& table) {
  TextBench(table).run();
}

}  // namespace
}  // namespace dflash::bench

int main(int argc, char** argv) {
  using namespace dflash::bench;
  try {
    return run_group(argc, argv, "text", {bench_text});
  } catch (const dflash::Error& error) {
    std::fprintf(stderr, "text_bench: %s\n", error.what());
    return 1;
  }
}
