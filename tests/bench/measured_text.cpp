#include "tests/bench/measured_text.h"

#include "common/base/json.h"
#include "tests/bench/gzip_file.h"
#include "tests/bench/mixed_text.h"
#include "tests/support/paths.h"
#include "tests/support/temp_folder.h"

namespace dflash::bench {
namespace {

constexpr size_t kMixedTextBytes = 20'000'000;

double megabytes_of(const std::string& text) {
  return static_cast<double>(text.size()) * 1e-6;
}

void add_golden_texts(std::vector<std::string>& documents) {
  const auto rows = test::source_dir().parent_path() / "shared" / "golden" / "text" / "vectors" / "qwen3.jsonl";
  if (!std::filesystem::exists(rows)) return;
  const std::string text = read_gzip(rows);
  for (size_t at = 0; at < text.size();) {
    const size_t end = text.find('\n', at);
    documents.push_back(Json::parse(text.substr(at, end - at)).at("text").get<std::string>());
    at = end + 1;
  }
}

}  // namespace

MeasuredText::MeasuredText() : documents_(make_mixed_text(test::source_dir(), kMixedTextBytes, 1)) {
  add_golden_texts(documents_);
  for (const std::string& text : documents_) megabytes_ += megabytes_of(text);
}

TextPart MeasuredText::part(size_t number) const {
  const size_t count = documents_.size();
  TextPart part{count * number / kTextParts, count * (number + 1) / kTextParts, 0};
  for (size_t i = part.first; i < part.end; ++i) part.megabytes += megabytes_of(documents_[i]);
  return part;
}

void MeasuredText::write_lines(const std::filesystem::path& file) const {
  std::string lines;
  for (const std::string& text : documents_) lines += Json(text).dump() + "\n";
  write_text(file, lines);
}

}  // namespace dflash::bench
