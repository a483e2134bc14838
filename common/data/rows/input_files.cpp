#include <glob.h>

#include <algorithm>
#include <filesystem>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/data/rows/row_file.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

/// Sorted by their bytes, so that every machine has the same order.
std::vector<std::string> matches_of(const std::string& pattern) {
  glob_t found{};
  const int status = glob(pattern.c_str(), GLOB_NOSORT | GLOB_BRACE, nullptr, &found);
  std::vector<std::string> paths;
  if (status == 0) paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  globfree(&found);
  if (status != 0 && status != GLOB_NOMATCH) {
    throw Error(ErrorKind::input_file, format("{}: the pattern cannot be looked up", pattern));
  }
  std::erase_if(paths, [](const std::string& path) { return fs::is_directory(path); });
  std::ranges::sort(paths);
  return paths;
}

std::vector<std::string> files_of(const std::string& word) {
  if (word == "-") return {word};
  std::error_code ignored;
  if (fs::is_directory(word, ignored)) {
    throw Error(ErrorKind::input_file,
                format("{}: a folder; name its files, as in '{}'", word, (fs::path(word) / "*.jsonl").string()));
  }
  if (fs::exists(word, ignored)) return {word};  // even when its name looks like a pattern
  std::vector<std::string> files = matches_of(word);
  if (files.empty()) throw Error(ErrorKind::input_file, format("{}: there is no such file", word));
  return files;
}

}  // namespace

std::vector<std::string> expand_inputs(const std::vector<std::string>& words) {
  if (std::ranges::count(words, "-") > 1) {
    throw Error(ErrorKind::input_file, "standard input (-) is named more than once");
  }
  std::vector<std::string> all;
  for (const std::string& word : words) {
    const std::vector<std::string> files = files_of(word);
    all.insert(all.end(), files.begin(), files.end());
  }
  return all;
}

}  // namespace dflash
