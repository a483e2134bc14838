#include "tests/bench/vocabularies.h"

#include <algorithm>
#include <sstream>

#include "common/base/error.h"
#include "common/base/format.h"
#include "tests/bench/gzip_file.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

namespace dflash::bench {
namespace {

namespace fs = std::filesystem;
const std::string kQuickstart = "quickstart";

/// In the order in which they are measured.
const std::vector<std::string>& all_vocabularies() {
  static const std::vector<std::string> names = {kQuickstart, "qwen3", "qwen3_5", "deepseek",   "tekken",    "llama3",
                                                 "olmo2",     "gpt2",  "smollm2", "mistral_v1", "mistral_v3"};
  return names;
}

void check_known(const std::string& name) {
  if (std::ranges::count(all_vocabularies(), name) > 0) return;
  std::string known;
  for (const std::string& each : all_vocabularies()) known += " " + each;
  throw Error(ErrorKind::config,
              format("DFLASH_BENCH_VOCABULARIES: there is no vocabulary '{}'; known:{}", name, known));
}

}  // namespace

std::vector<std::string> chosen_vocabularies(const std::string& names) {
  std::vector<std::string> chosen;
  std::istringstream text(names);
  for (std::string name; text >> name;) {
    check_known(name);
    if (std::ranges::count(chosen, name) == 0) chosen.push_back(name);
  }
  return chosen.empty() ? all_vocabularies() : chosen;
}

fs::path vocabulary_file(const std::string& name, const fs::path& folder) {
  if (name == kQuickstart) return test::source_dir() / "deploy" / "quickstart-data" / "target" / "tokenizer.json";
  const fs::path packed = test::source_dir().parent_path() / "shared" / "golden" / "text" / "tokenizers" / name;
  if (!fs::exists(packed / "tokenizer.json.gz")) return {};
  fs::path file = folder / (name + ".json");
  write_text(file, read_gzip(packed / "tokenizer.json.gz"));
  return file;
}

}  // namespace dflash::bench
