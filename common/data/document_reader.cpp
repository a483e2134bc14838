#include <simdjson.h>

#include <algorithm>
#include <stdexcept>
#include <string_view>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"
#include "common/data/documents.h"

namespace dflash {
namespace {

constexpr size_t kMostExamples = 10;
constexpr int64_t kOneBadRowIn = 100;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

/// Why a row is left out; caught where its line number is known.
class BadRow : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One line at a time into input_ids and loss_mask; the buffers are used again for the next.
class RowReader {
 public:
  explicit RowReader(int64_t vocab_size) : vocab_size_(vocab_size) {}

  /// Throws BadRow.
  void read(std::string_view line) {
    line_.assign(line);
    line_.reserve(line.size() + simdjson::SIMDJSON_PADDING);
    simdjson::dom::element row;
    if (const auto error = parser_.parse(line_).get(row)) {
      throw BadRow(format("not JSON: {}", simdjson::error_message(error)));
    }
    if (!row.is_object()) throw BadRow("not an object with input_ids and loss_mask");
    read_ids(list_of(row, "input_ids"));
    read_mask(list_of(row, "loss_mask"));
    if (input_ids.size() != loss_mask.size()) {
      throw BadRow(format("{} input_ids but {} loss_mask values", input_ids.size(), loss_mask.size()));
    }
  }

  std::vector<int32_t> input_ids;
  std::vector<uint8_t> loss_mask;

 private:
  static simdjson::dom::array list_of(simdjson::dom::element row, const char* key) {
    simdjson::dom::element value;
    if (row[key].get(value)) throw BadRow(format("'{}' is missing", key));
    simdjson::dom::array list;
    if (value.get(list)) throw BadRow(format("'{}' is no list", key));
    return list;
  }

  void read_ids(simdjson::dom::array list) {
    input_ids.clear();
    for (const simdjson::dom::element value : list) {
      int64_t id = 0;
      const auto error = value.get(id);
      if (error == simdjson::INCORRECT_TYPE) throw BadRow(format("input_ids[{}] is no integer", input_ids.size()));
      if (error || id < 0 || id >= vocab_size_) {
        throw BadRow(format("input_ids[{}] is outside the vocabulary of {}", input_ids.size(), vocab_size_));
      }
      input_ids.push_back(static_cast<int32_t>(id));
    }
  }

  void read_mask(simdjson::dom::array list) {
    loss_mask.clear();
    for (const simdjson::dom::element value : list) {
      bool flag = false;
      int64_t number = 0;
      if (value.get(flag)) {
        if (value.get(number) || number < 0 || number > 1) {
          throw BadRow(format("loss_mask[{}] is neither 0 nor 1", loss_mask.size()));
        }
        flag = number == 1;
      }
      loss_mask.push_back(flag ? 1 : 0);
    }
  }

  int64_t vocab_size_;
  simdjson::dom::parser parser_;
  std::string line_;
};

/// An anchor needs its own token supervised, and the next.
bool holds_an_anchor(std::span<const uint8_t> mask) {
  return std::adjacent_find(mask.begin(), mask.end(), [](uint8_t a, uint8_t b) { return a && b; }) != mask.end();
}

/// Adds the reader's row to the documents, or does not, and counts what became of it.
void settle_row(const RowReader& row, int64_t pack_tokens, Documents& documents, DataLedger& ledger) {
  const size_t length = std::min(row.input_ids.size(), static_cast<size_t>(pack_tokens));
  const auto mask = std::span(row.loss_mask).first(length);
  if (!holds_an_anchor(mask)) {
    ++ledger.dropped;
    return;
  }
  documents.add(std::span(row.input_ids).first(length), mask);
  ++ledger.kept;
  ledger.cut += length < row.input_ids.size() ? 1 : 0;
  ledger.tokens += static_cast<int64_t>(length);
  ledger.supervised_tokens += std::count(mask.begin(), mask.end(), uint8_t{1});
}

void note_bad_row(const std::string& what, DataLedger& ledger) {
  ++ledger.bad;
  if (ledger.bad_examples.size() < kMostExamples) ledger.bad_examples.push_back(what);
}

/// Takes one line off the front of `text`, without its end (LF or CRLF).
std::string_view next_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

void read_file(const std::filesystem::path& path, int64_t pack_tokens, RowReader& row, Documents& documents,
               DataLedger& ledger) {
  const MappedFile file(path);
  std::string_view text = file.text();
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  for (int64_t number = 1; !text.empty(); ++number) {
    const std::string_view line = next_line(text);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    ++ledger.rows;
    try {
      row.read(line);
      settle_row(row, pack_tokens, documents, ledger);
    } catch (const BadRow& bad) {
      note_bad_row(format("{}:{}: {}", path.string(), number, bad.what()), ledger);
    }
  }
}

void check_ledger(const DataLedger& ledger) {
  if (ledger.bad * kOneBadRowIn > ledger.rows) {
    throw Error(ErrorKind::input_file, format("{} of {} rows are bad, more than 1 %: {}", ledger.bad, ledger.rows,
                                              join(ledger.bad_examples, "; ")));
  }
  if (ledger.kept == 0) {
    throw Error(ErrorKind::input_file, format("no row can be trained on: {} rows, {} without two neighbouring "
                                              "supervised tokens, {} bad",
                                              ledger.rows, ledger.dropped, ledger.bad));
  }
}

}  // namespace

Documents load_documents(const std::vector<std::filesystem::path>& files, int64_t vocab_size, int64_t pack_tokens,
                         DataLedger& ledger) {
  Documents documents;
  RowReader row(vocab_size);
  for (const auto& path : files) read_file(path, pack_tokens, row, documents, ledger);
  check_ledger(ledger);
  return documents;
}

}  // namespace dflash
