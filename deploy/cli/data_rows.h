// Documents of prepared folders and token-id files, chosen and decoded for a person.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/json.h"
#include "common/data/documents.h"
#include "common/text/shown/decoded_runs.h"

namespace dflash {

/// A prepared folder, or a JSONL file of token ids.
struct InspectedData {
  Json facts;  // path, kind, counts; of a folder its key and ledger
  Documents documents;
};

/// `verify`: compares a folder's whole content with its hashes.
[[nodiscard]] InspectedData open_data(const std::string& path, bool verify);

/// `rows` documents of `count`: from `first` on, or drawn by a seed, each at most once.
[[nodiscard]] std::vector<int64_t> choose_rows(int64_t count, int64_t rows, int64_t first,
                                               std::optional<uint64_t> random);

struct DataRow {
  int64_t document = 0;
  int64_t tokens = 0, supervised_tokens = 0;
  int64_t shown_tokens = 0;
  int64_t unknown_ids = 0;  // of those shown: the tokenizer does not know them, and they have no text
  std::vector<DecodedRun> runs;
};

/// The first `most_tokens` of a document, decoded.
[[nodiscard]] DataRow decode_row(const Documents& documents, int64_t document, const Tokenizer& tokenizer,
                                 int64_t most_tokens);

[[nodiscard]] Json row_json(const DataRow& row);
/// A heading and the text, supervised parts in green, or in [[ ]].
[[nodiscard]] std::string describe_row(const DataRow& row, bool colour);

}  // namespace dflash
