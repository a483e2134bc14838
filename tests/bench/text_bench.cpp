// The group `text`: how fast texts become ids, one thread against the Hugging Face library with one thread
// (reference_rows.h), and two threads against one (thread_rows.h); and how fast a tokenizer.json is read.
//
// DFLASH_BENCH_PYTHON: a Python that has the library (deploy/bench makes one). DFLASH_BENCH_VOCABULARIES: names with a
// blank between; only these (vocabularies.h).

#include <cstdio>
#include <cstdlib>
#include <optional>

#include "common/base/error.h"
#include "tests/bench/reference_rows.h"
#include "tests/bench/thread_rows.h"
#include "tests/bench/vocabularies.h"

namespace dflash::bench {
namespace {

std::string setting(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void bench_text(BenchTable& table) {
  const std::vector<std::string> names = chosen_vocabularies(setting("DFLASH_BENCH_VOCABULARIES"));
  const TempFolder folder;
  const MeasuredText text;
  std::optional<ReferenceRows> reference;
  if (const std::string python = setting("DFLASH_BENCH_PYTHON"); !python.empty()) {
    reference.emplace(python, text);
  } else {
    std::puts("text: DFLASH_BENCH_PYTHON is not set: nothing is compared with the reference library");
  }
  for (const std::string& name : names) {
    const std::filesystem::path file = vocabulary_file(name, folder.path());
    if (file.empty()) {
      std::printf("text: the vocabulary %s is not there, and is left out\n", name.c_str());
      continue;
    }
    const Tokenizer tokenizer = Tokenizer::read(file);
    if (reference) reference->measure(tokenizer, name, file, table);
    measure_two_threads(text, tokenizer, name, table);
  }
}

}  // namespace
}  // namespace dflash::bench

int main(int argc, char** argv) {
  using namespace dflash::bench;
  try {
    return run_group(argc, argv, "text", {bench_text});
  } catch (const dflash::Error& error) {
    std::fprintf(stderr, "text_bench: %s\n", error.what());
    return exit_code(error.kind());
  }
}
