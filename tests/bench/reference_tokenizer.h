// ReferenceTokenizer: the Hugging Face library in a Python process of its own, asked line by line
// (reference_tokenizer.py). It uses one thread.
//
// Threading: one thread.
// Owns: the process, which ends with it.
#pragma once

#include <sys/types.h>

#include <cstdio>
#include <filesystem>
#include <string>

namespace dflash::bench {

class ReferenceTokenizer {
 public:
  /// `python` has the package `tokenizers`; `documents`: a file with one JSON string on each line.
  ReferenceTokenizer(const std::filesystem::path& python, const std::filesystem::path& documents);
  ~ReferenceTokenizer();
  ReferenceTokenizer(const ReferenceTokenizer&) = delete;
  ReferenceTokenizer& operator=(const ReferenceTokenizer&) = delete;

  [[nodiscard]] const std::string& version() const { return version_; }
  /// The answer to one line. Error{internal} when the process has ended.
  std::string ask(const std::string& line);

 private:
  std::string read_line();

  pid_t pid_ = 0;
  FILE* to_ = nullptr;
  FILE* from_ = nullptr;
  std::string version_;
};

}  // namespace dflash::bench
