#include "tests/bench/reference_rows.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <vector>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"
#include "common/base/json.h"
#include "tests/bench/cpu_clock.h"

namespace dflash::bench {
namespace {

namespace fs = std::filesystem;
constexpr int kLoadRounds = 6;
constexpr size_t kLargeFileBytes = 10'000'000;

/// Writes the documents before the library's process starts, which reads them.
const fs::path& written(const MeasuredText& text, const fs::path& file) {
  text.write_lines(file);
  return file;
}

}  // namespace

ReferenceRows::ReferenceRows(const fs::path& python, const MeasuredText& text)
    : text_(text),
      lines_(folder_.path() / "documents.jsonl"),
      ids_(folder_.path() / "ids"),
      reference_(python, written(text, lines_)),
      library_("tokenizers " + reference_.version()) {}

void ReferenceRows::measure(const Tokenizer& tokenizer, const std::string& name, const fs::path& file,
                            BenchTable& table) {
  (void)reference_.ask("load " + file.string());
  encode(tokenizer, name, table);
  load(name, file, table);
}

void ReferenceRows::encode(const Tokenizer& tokenizer, const std::string& name, BenchTable& table) {
  const std::string way = reference_.ask("choose");
  std::vector<double> abba;
  for (size_t number = 0; number < kTextParts; ++number) {
    const TextPart part = text_.part(number);
    abba.push_back(reference_rate(part));
    compare_ids(part, tokenizer, name);
    abba.insert(abba.end(), {own_rate(part, tokenizer), own_rate(part, tokenizer)});
    abba.push_back(reference_rate(part));
  }
  table.add(format("encode 20 MB of mixed text, one thread, {}", name), "MB/s",
            format("{}, {}, one thread", library_, way), pair_up(abba), Goal{1.5});
  std::printf("    ids equal in all documents\n");
}

void ReferenceRows::load(const std::string& name, const fs::path& file, BenchTable& table) {
  const double size_mb = static_cast<double>(fs::file_size(file)) * 1e-6;
  const auto ours = [&] {
    const double begin_s = process_cpu_s();
    (void)Tokenizer::read(file);
    return size_mb / (process_cpu_s() - begin_s);
  };
  const auto theirs = [&] { return size_mb / std::stod(reference_.ask("load " + file.string())); };
  table.add(format("load a tokenizer.json of {:.1f} MB, {}", size_mb, name), "MB/s", library_ + ", from_file",
            measure_paired(theirs, ours, kLoadRounds),
            size_mb * 1e6 >= kLargeFileBytes ? std::optional<Goal>{Goal{1.0}} : std::nullopt);
}

double ReferenceRows::reference_rate(const TextPart& part) {
  return part.megabytes / std::stod(reference_.ask(format("encode {} {} {}", part.first, part.end, ids_.string())));
}

double ReferenceRows::own_rate(const TextPart& part, const Tokenizer& tokenizer) const {
  TokenizerScratch scratch;
  Encoding encoding;
  const double begin_s = process_cpu_s();
  for (size_t i = part.first; i < part.end; ++i)
    tokenizer.encode(text_.documents()[i], {.special_tokens = false}, scratch, encoding);
  return part.megabytes / (process_cpu_s() - begin_s);
}

void ReferenceRows::compare_ids(const TextPart& part, const Tokenizer& tokenizer, const std::string& name) const {
  const MappedFile mapped(ids_);
  const auto* theirs = reinterpret_cast<const uint32_t*>(mapped.bytes().data());
  TokenizerScratch scratch;
  Encoding encoding;
  for (size_t i = part.first; i < part.end; ++i) {
    const std::string& document = text_.documents()[i];
    tokenizer.encode(document, {.special_tokens = false}, scratch, encoding);
    const std::vector<uint32_t> expected(theirs + 1, theirs + 1 + *theirs);
    theirs += 1 + *theirs;
    if (encoding.ids == expected) continue;
    const auto place = std::ranges::mismatch(encoding.ids, expected).in1 - encoding.ids.begin();
    throw Error(ErrorKind::internal, format("{}: id {} differs from the reference library's in the document {}", name,
                                            place, Json(document).dump()));
  }
}

}  // namespace dflash::bench
