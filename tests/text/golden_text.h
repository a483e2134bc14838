// Reference outputs for text: in tests/golden/text, and those of published vocabularies beside the repository.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "common/base/error.h"
#include "common/base/json.h"
#include "tests/support/paths.h"

namespace dflash::test {

inline std::filesystem::path golden_text_folder() {
  return source_dir() / "tests" / "golden" / "text";
}

/// May be absent.
inline std::filesystem::path shared_text_folder() {
  return source_dir().parent_path() / "shared" / "golden" / "text";
}

/// A file, plain or gzip.
inline std::string read_any(const std::filesystem::path& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) throw Error(ErrorKind::input_file, "cannot open " + path.string());
  std::string text;
  std::array<char, 65536> part{};
  for (int size = 0; (size = gzread(file, part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<size_t>(size));
  gzclose(file);
  return text;
}

/// Calls visit(row) for each line of JSON.
inline void for_each_row(const std::filesystem::path& path, const std::function<void(const Json&)>& visit) {
  const std::string text = read_any(path);
  size_t rows = 0;
  for (size_t begin = 0; begin < text.size(); ++rows) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin)
      visit(Json::parse(text.begin() + static_cast<std::ptrdiff_t>(begin),
                        text.begin() + static_cast<std::ptrdiff_t>(end)));
    begin = end + 1;
  }
  ASSERT_GT(rows, 0U) << path;
}

}  // namespace dflash::test
