// MeasuredText: the documents that the group `text` measures with, and the parts of them.
//
// Threading: immutable.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace dflash::bench {

constexpr size_t kTextParts = 4;

struct TextPart {
  size_t first = 0, end = 0;  // documents
  double megabytes = 0;
};

class MeasuredText {
 public:
  /// 20 MB of mixed text (mixed_text.h), and the texts of the golden vectors, where they are.
  MeasuredText();

  [[nodiscard]] const std::vector<std::string>& documents() const { return documents_; }
  [[nodiscard]] double megabytes() const { return megabytes_; }
  /// One of kTextParts, of equally many documents.
  [[nodiscard]] TextPart part(size_t number) const;
  /// One JSON string on each line.
  void write_lines(const std::filesystem::path& file) const;

 private:
  std::vector<std::string> documents_;
  double megabytes_ = 0;
};

}  // namespace dflash::bench
