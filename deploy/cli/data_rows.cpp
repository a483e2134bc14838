#include "deploy/cli/data_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/hash.h"
#include "common/data/keyed_permutation.h"
#include "common/data/prepared/prepared_folder.h"
#include "common/text/shown/styled_text.h"

namespace dflash {
namespace {

constexpr int64_t kAnyId = int64_t{1} << 31;
constexpr int64_t kAnyLength = std::numeric_limits<int32_t>::max();
constexpr TextStyle kPlain{};
constexpr TextStyle kSupervised{"\x1b[32m", "[[", "]]"};

Json counts_json(const std::string& path, const char* kind, const ShardFacts& totals) {
  const double share = static_cast<double>(totals.supervised_tokens) / static_cast<double>(totals.tokens);
  return {{"path", path},
          {"kind", kind},
          {"documents", totals.documents},
          {"tokens", totals.tokens},
          {"supervised_tokens", totals.supervised_tokens},
          {"supervised_share", std::round(share * 1e4) / 1e4}};
}

InspectedData open_folder(const std::string& path, bool verify) {
  PreparedFolder folder = PreparedFolder::open(path);
  if (verify) folder.verify();
  InspectedData data;
  data.facts = counts_json(path, "prepared folder", folder.totals());
  data.facts["longest_document"] = folder.totals().longest_document;
  data.facts["greatest_id"] = folder.totals().max_id;
  data.facts["shards"] = folder.shards().size();
  data.facts["hash"] = hash_hex(folder.hash());
  data.facts["content"] = verify ? "verified" : "not read (--verify)";
  data.facts["key"] = folder.key();
  data.facts["ledger"] = folder.ledger();
  data.documents.add(std::move(folder));
  return data;
}

InspectedData open_file(const std::string& path) {
  DataLedger ledger;
  InspectedData data;
  data.documents = load_documents({path}, kAnyId, kAnyLength, ledger);
  data.facts = counts_json(path, "rows of token ids", {ledger.kept, ledger.tokens, ledger.supervised_tokens, 0, 0, 0});
  data.facts["ledger"] = {{"rows", ledger.rows},
                          {"kept", ledger.kept},
                          {"dropped", ledger.dropped},
                          {"bad", ledger.bad},
                          {"bad_examples", ledger.bad_examples}};
  return data;
}

/// Line ends are seen, and the next line cannot pass for one of ours.
std::string indented(const std::string& text) {
  std::string out;
  for (const char byte : text) {
    if (byte == '\n')
      out += "↵\n    ";
    else
      out += byte;
  }
  return out;
}

}  // namespace

InspectedData open_data(const std::string& path, bool verify) {
  return std::filesystem::is_directory(path) ? open_folder(path, verify) : open_file(path);
}

std::vector<int64_t> choose_rows(int64_t count, int64_t rows, int64_t first, std::optional<uint64_t> random) {
  const int64_t begin = random ? 0 : std::min(first, count);
  std::vector<int64_t> chosen(static_cast<size_t>(std::min(rows, count - begin)));
  if (random) {
    KeyedPermutation(static_cast<uint64_t>(count), CounterRandom(*random, RandomPurpose::document_order, 0))
        .fill(0, chosen);
  } else {
    std::ranges::generate(chosen, [next = begin]() mutable { return next++; });
  }
  return chosen;
}

DataRow decode_row(const Documents& documents, int64_t document, const Tokenizer& tokenizer, int64_t most_tokens) {
  const auto length = static_cast<size_t>(documents.length(document));
  std::vector<int32_t> ids(length);
  std::vector<uint8_t> mask(length);
  documents.copy(document, ids, mask);
  DataRow row;
  row.document = document;
  row.tokens = static_cast<int64_t>(length);
  row.supervised_tokens = std::ranges::count(mask, uint8_t{1});
  row.shown_tokens = std::min(row.tokens, most_tokens);
  const auto shown = static_cast<size_t>(row.shown_tokens);
  const std::vector<uint32_t> shown_ids(ids.begin(), ids.begin() + row.shown_tokens);
  row.unknown_ids = std::ranges::count_if(shown_ids, [&](uint32_t id) { return !tokenizer.token_of(id); });
  row.runs = decode_runs(tokenizer, shown_ids, std::span(mask).first(shown));
  return row;
}

Json row_json(const DataRow& row) {
  Json runs = Json::array();
  for (const DecodedRun& run : row.runs) runs.push_back({{"text", run.text}, {"supervised", run.supervised}});
  return {{"document", row.document},
          {"tokens", row.tokens},
          {"supervised_tokens", row.supervised_tokens},
          {"shown_tokens", row.shown_tokens},
          {"unknown_ids", row.unknown_ids},
          {"runs", runs}};
}

std::string describe_row(const DataRow& row, bool colour) {
  std::string text = format("document {}: {} tokens, {} supervised", row.document, row.tokens, row.supervised_tokens);
  if (row.unknown_ids > 0) {
    text += format("; {} IDS THAT THE TOKENIZER DOES NOT KNOW: is it the one of this data?", row.unknown_ids);
  }
  text += "\n    ";
  for (const DecodedRun& run : row.runs) {
    text += indented(styled_run(run.text, run.supervised ? kSupervised : kPlain, colour));
  }
  // Where the document ends with a line end, no empty line follows.
  text.erase(text.find_last_not_of("\n ") + 1);
  if (row.shown_tokens < row.tokens) text += format("\n  ... {} more tokens (--tokens)", row.tokens - row.shown_tokens);
  return text + "\n";
}

}  // namespace dflash
