#include <algorithm>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/data/documents.h"
#include "common/data/rows/bad_row.h"
#include "common/data/rows/json_row.h"
#include "common/data/rows/line_reader.h"

namespace dflash {
namespace {

constexpr size_t kMostExamples = 10;
constexpr int64_t kOneBadRowIn = 100;

/// The row of one line; the buffers are used again for the next.
struct TokenRow {
  JsonRow json;
  std::vector<int32_t> input_ids;
  std::vector<uint8_t> loss_mask;

  /// Throws BadRow.
  void read(const Line& line, int64_t vocab_size) {
    if (line.too_long) throw BadRow(DropReason::line_too_long, drop_reason_meaning(DropReason::line_too_long));
    json.parse(line.text);
    json.read_tokens(vocab_size, input_ids, loss_mask);
  }
};

/// An anchor needs its own token supervised, and the next.
bool holds_an_anchor(std::span<const uint8_t> mask) {
  return std::adjacent_find(mask.begin(), mask.end(), [](uint8_t a, uint8_t b) { return a && b; }) != mask.end();
}

/// Adds the reader's row to the documents, or does not, and counts what became of it.
void settle_row(const TokenRow& row, int64_t pack_tokens, Documents& documents, DataLedger& ledger) {
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

void read_file(const std::filesystem::path& path, int64_t vocab_size, int64_t pack_tokens, TokenRow& row,
               Documents& documents, DataLedger& ledger) {
  LineReader lines(path.string());
  for (Line line; lines.next(line);) {
    if (!line.too_long && line.text.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    ++ledger.rows;
    try {
      row.read(line, vocab_size);
      settle_row(row, pack_tokens, documents, ledger);
    } catch (const BadRow& bad) {
      note_bad_row(format("{}:{}: {}", path.string(), line.number, bad.what()), ledger);
    }
  }
}

void check_fits(const PreparedFolder& folder, int64_t vocab_size, int64_t pack_tokens) {
  const ShardFacts& totals = folder.totals();
  if (totals.max_id >= vocab_size) {
    throw Error(
        ErrorKind::input_file,
        format("{}: token id {} is outside the target's vocabulary of {}; prepare the data with the target's own "
               "tokenizer.json",
               folder.path().string(), totals.max_id, vocab_size));
  }
  if (totals.longest_document > pack_tokens) {
    throw Error(
        ErrorKind::config,
        format("{}: its longest document has {} tokens, but a pack holds {}; prepare the data with --max-tokens "
               "{}, or raise data.pack_tokens",
               folder.path().string(), totals.longest_document, pack_tokens, pack_tokens));
  }
}

void add_folder(const std::filesystem::path& path, int64_t vocab_size, int64_t pack_tokens, Documents& documents,
                DataLedger& ledger) {
  PreparedFolder folder = PreparedFolder::open(path);
  check_fits(folder, vocab_size, pack_tokens);
  const auto counted = [&](const char* what) {
    const Json& value = folder.ledger().is_object() ? folder.ledger().value(what, Json()) : Json();
    return value.is_number_unsigned() ? value.get<int64_t>() : int64_t{0};
  };
  // What dflash prepare left out was counted there; other writers may have kept no ledger.
  const int64_t left_out = std::max(counted("rows") - folder.count(), int64_t{0});
  ledger.rows += folder.count() + left_out;
  ledger.dropped += left_out;
  ledger.cut += counted("cut");
  ledger.kept += folder.count();
  ledger.tokens += folder.totals().tokens;
  ledger.supervised_tokens += folder.totals().supervised_tokens;
  documents.add(std::move(folder));
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
  TokenRow row;
  for (const auto& path : files) {
    if (std::filesystem::is_directory(path)) {
      add_folder(path, vocab_size, pack_tokens, documents, ledger);
    } else {
      read_file(path, vocab_size, pack_tokens, row, documents, ledger);
    }
  }
  check_ledger(ledger);
  return documents;
}

}  // namespace dflash
