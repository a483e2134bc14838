// ReferenceRows: one thread of ours against the Hugging Face library with one thread, encoding and loading.
//
// Both sides encode without offsets and without special tokens, documents one after the other. The text is measured in
// four parts of 5 MB, each A B B A, and each pass begins with an empty cache of words. Of the library's three ways to
// encode the fastest is taken; it is timed inside its process, without turning ids into Python's numbers. Ours includes
// the vector of ids. The ids of both must be equal in all documents. Time is that of the process on a core.
//
// Threading: one thread.
// Owns: the library's process, and a folder with the text.
#pragma once

#include <filesystem>
#include <string>

#include "common/text/tokenizer/tokenizer.h"
#include "tests/bench/bench_table.h"
#include "tests/bench/measured_text.h"
#include "tests/bench/reference_tokenizer.h"
#include "tests/support/temp_folder.h"

namespace dflash::bench {

class ReferenceRows {
 public:
  /// `text` must outlive it.
  ReferenceRows(const std::filesystem::path& python, const MeasuredText& text);

  /// Two rows for the vocabulary `name`, whose tokenizer was read from `file`. Error{internal} when ids differ.
  void measure(const Tokenizer& tokenizer, const std::string& name, const std::filesystem::path& file,
               BenchTable& table);

 private:
  void encode(const Tokenizer& tokenizer, const std::string& name, BenchTable& table);
  void load(const std::string& name, const std::filesystem::path& file, BenchTable& table);
  [[nodiscard]] double reference_rate(const TextPart& part);  // MB/s; leaves the ids in ids_
  [[nodiscard]] double own_rate(const TextPart& part, const Tokenizer& tokenizer) const;
  void compare_ids(const TextPart& part, const Tokenizer& tokenizer, const std::string& name) const;

  const MeasuredText& text_;
  const TempFolder folder_;
  const std::filesystem::path lines_, ids_;
  ReferenceTokenizer reference_;
  std::string library_;
};

}  // namespace dflash::bench
