// Documents: tokenised training texts, read from JSONL files (plain, gzip, zstd) into memory, and the ledger of what
// became of every row.
//
// A row is {"input_ids": [int...], "loss_mask": [0|1...]} (other keys are ignored). Longer than a pack: cut to its
// length, counted. Nothing to supervise (no two neighbouring supervised tokens, so no anchor): dropped, counted. Bad
// (not JSON, keys missing or of the wrong type, unequal lengths, an id outside the vocabulary): left out, counted, and
// named "file, line, why" in the ledger, the first ten of them. More than 1 % bad rows: Error{input_file}.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace dflash {

struct DataLedger {
  int64_t rows = 0;  // non-empty lines
  int64_t kept = 0;
  int64_t cut = 0;      // of the kept ones
  int64_t dropped = 0;  // nothing to supervise
  int64_t bad = 0;
  int64_t tokens = 0;  // of the kept ones, after cutting
  int64_t supervised_tokens = 0;
  std::vector<std::string> bad_examples;  // the first ten, "file:line: why"
};

/// All documents of a run, in the order of files and lines. Immutable after loading; any thread may read.
class Documents {
 public:
  [[nodiscard]] int64_t count() const { return static_cast<int64_t>(starts_.size()) - 1; }
  [[nodiscard]] int64_t length(int64_t document) const;
  [[nodiscard]] std::span<const int32_t> input_ids(int64_t document) const;
  [[nodiscard]] std::span<const uint8_t> loss_mask(int64_t document) const;
  /// Hash of every id, mask and length: equal on two nodes iff they read the same documents.
  [[nodiscard]] uint64_t hash() const;

  /// Appends one document (equal lengths, at least one token).
  void add(std::span<const int32_t> input_ids, std::span<const uint8_t> loss_mask);

 private:
  std::vector<int32_t> input_ids_;
  std::vector<uint8_t> loss_mask_;
  std::vector<int64_t> starts_{0};
};

/// Reads the files in their order. Error{input_file} for a file that cannot be read, too many bad rows, or no kept row.
[[nodiscard]] Documents load_documents(const std::vector<std::filesystem::path>& files, int64_t vocab_size,
                                       int64_t pack_tokens, DataLedger& ledger);

}  // namespace dflash
