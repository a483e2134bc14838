#include <zlib.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <sstream>

#include "common/base/file.h"
#include "common/base/json.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/support/paths.h"

namespace dflash::fuzz {
namespace {

namespace fs = std::filesystem;
constexpr size_t kLargestSeedBytes = size_t{64} << 10U;
constexpr size_t kTokensKept = 300;

std::string read_any(const fs::path& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  require(file != nullptr, "the tests' data are there");
  std::string text;
  std::array<char, 65536> part{};
  for (int size = 0; (size = gzread(file, part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<size_t>(size));
  gzclose(file);
  return text;
}

std::vector<std::string> lines_of(const fs::path& path) {
  std::vector<std::string> lines;
  std::istringstream text(read_any(path));
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

/// The same tokenizer with its first tokens, and the merges among them.
std::string with_fewer_tokens(Json json) {
  Json& model = json["model"];
  if (model["vocab"].is_array() && model["vocab"].size() > kTokensKept) {
    model["vocab"].erase(model["vocab"].begin() + kTokensKept, model["vocab"].end());
  } else if (model["vocab"].is_object()) {
    for (auto token = model["vocab"].begin(); token != model["vocab"].end();)
      token = token.value() >= kTokensKept ? model["vocab"].erase(token) : std::next(token);
  }
  Json merges = Json::array();
  for (const Json& merge : model.value("merges", Json::array())) {
    const auto blank = merge.is_string() ? merge.get<std::string>().find(' ') : 0;
    const std::string left =
        merge.is_string() ? merge.get<std::string>().substr(0, blank) : merge[0].get<std::string>();
    const std::string right =
        merge.is_string() ? merge.get<std::string>().substr(blank + 1) : merge[1].get<std::string>();
    if (model["vocab"].contains(left) && model["vocab"].contains(right) && model["vocab"].contains(left + right))
      merges.push_back(merge);
  }
  if (model.contains("merges")) model["merges"] = merges;
  return json.dump();
}

}  // namespace

std::vector<std::string> tokenizer_file_seeds() {
  const fs::path folder = test::source_dir() / "tests" / "golden" / "text";
  std::vector<std::string> seeds;
  for (const fs::path& file : files_of(folder / "bad")) {
    if (file.extension() == ".json") seeds.push_back(read_any(file));
  }
  for (const fs::path& file : files_of(folder / "tokenizers")) {
    std::string seed = with_fewer_tokens(Json::parse(read_any(file)));
    if (seed.size() <= kLargestSeedBytes) seeds.push_back(std::move(seed));
  }
  return seeds;
}

std::vector<std::string> chat_template_seeds() {
  const fs::path folder = test::source_dir() / "tests" / "golden" / "text" / "templates";
  std::vector<std::string> seeds = {read_any(folder / "chatml_gen.jinja")};
  for (const std::string& line : lines_of(folder / "features.jsonl.gz"))
    seeds.push_back(Json::parse(line).at("template").get<std::string>());
  return seeds;
}

std::vector<std::string> row_seeds() {
  std::vector<std::string> seeds;
  for (const std::string& line : lines_of(test::source_dir() / "tests" / "data" / "rows" / "odd_rows.jsonl")) {
    const Json input = Json::parse(line).at("input");
    for (const char* key : {"line", "file"}) {
      if (input.contains(key)) seeds.push_back(input.at(key).get<std::string>());
    }
  }
  seeds.emplace_back(
      R"({"conversations": [{"from": "human", "value": "a"}, {"from": "gpt", "value": "b"}], "tools": "[]"})");
  seeds.emplace_back(
      R"({"prompt": [{"role": "user", "content": "a"}], "completion": [{"role": "assistant", "content": "b"}]})");
  seeds.emplace_back(R"({"instruction": "a", "input": "", "output": "b", "history": [["c", "d"]]})");
  seeds.emplace_back(R"({"input_ids": [1, 2, 3], "loss_mask": [0, 1, 1]})");
  std::erase_if(seeds, [](const std::string& seed) { return seed.size() > kLargestSeedBytes; });
  return seeds;
}

}  // namespace dflash::fuzz
