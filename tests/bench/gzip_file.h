// A whole file, packed with gzip or not.
#pragma once

#include <zlib.h>

#include <filesystem>
#include <string>

#include "common/base/error.h"

namespace dflash::bench {

/// Error{input_file} when it cannot be opened.
[[nodiscard]] inline std::string read_gzip(const std::filesystem::path& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (file == nullptr) throw Error(ErrorKind::input_file, "cannot open " + path.string());
  std::string text;
  char part[65536];
  for (int size = 0; (size = gzread(file, part, sizeof part)) > 0;) text.append(part, static_cast<size_t>(size));
  gzclose(file);
  return text;
}

}  // namespace dflash::bench
