// Documents: tokenised training texts, in memory or in prepared folders that are mapped, as one numbered list.
//
//   DataLedger ledger;
//   const Documents documents = load_documents({"a.jsonl", "prepared"}, vocab_size, pack_tokens, ledger);
//
// A path is a prepared folder (common/data/prepared), or a JSONL file (plain, gzip, zstd) that is read into memory.
//
// A row of a file is {"input_ids": [int...], "loss_mask": [0|1...]} (other keys are ignored). Longer than a pack: cut
// to its length, counted. Nothing to supervise (no two neighbouring supervised tokens, so no anchor): dropped, counted.
// Bad (not JSON, keys missing or of the wrong type, unequal lengths, an id outside the vocabulary): left out, counted,
// and named "file, line, why" in the ledger, the first ten of them. More than 1 % bad rows: Error{input_file}.
//
// A folder was cut, and rid of its bad rows, when it was prepared: it is taken whole, or refused.
//
// Threading: immutable after loading; any thread may read. Owns: the documents in memory, and the mappings.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "common/data/prepared/prepared_folder.h"

namespace dflash {

struct DataLedger {
  int64_t rows = 0;  // non-empty lines; of a prepared folder, those it was made of, if its ledger says so
  int64_t kept = 0;
  int64_t cut = 0;      // of the kept ones
  int64_t dropped = 0;  // nothing to supervise; of a prepared folder, all that preparing left out
  int64_t bad = 0;
  int64_t tokens = 0;  // of the kept ones, after cutting
  int64_t supervised_tokens = 0;
  std::vector<std::string> bad_examples;  // the first ten, "file:line: why"
};

/// All documents of a run, in the order of files and lines.
class Documents {
 public:
  Documents() = default;
  Documents(Documents&&) noexcept = default;
  Documents& operator=(Documents&&) noexcept = default;

  [[nodiscard]] int64_t count() const { return count_; }
  [[nodiscard]] int64_t tokens() const { return tokens_; }  // of all documents
  [[nodiscard]] int64_t length(int64_t document) const;
  /// The same of many, whose places in memory are then asked for side by side.
  void copy_lengths(std::span<const int64_t> documents, std::span<int64_t> lengths) const;
  [[nodiscard]] std::span<const int32_t> input_ids(int64_t document) const;
  /// Writes ids and mask (0 or 1) of the document; both spans have its length. Error{input_file} when a mapped shard
  /// holds an id that its header rules out: nobody read the ids when the folder was opened.
  void copy(int64_t document, std::span<int32_t> input_ids, std::span<uint8_t> loss_mask) const;
  /// Of every id, mask and length: equal on two nodes iff they read the same files. (A folder has the hash that it was
  /// prepared with; the same documents in memory have another.)
  [[nodiscard]] uint64_t hash() const;

  /// Appends one document (equal lengths, at least one token).
  void add(std::span<const int32_t> input_ids, std::span<const uint8_t> loss_mask);
  /// Appends the documents of a folder; nothing is copied.
  void add(PreparedFolder folder);

 private:
  struct InMemory {
    std::vector<int32_t> input_ids;
    std::vector<uint8_t> loss_mask;
    std::vector<uint64_t> starts{0};
  };
  /// Documents that lie side by side: those in memory, or a shard.
  struct Block {
    std::span<const uint64_t> starts;  // [documents + 1]
    std::span<const int32_t> input_ids;
    const uint8_t* loss_mask = nullptr;           // bytes; null for a shard
    const ShardFile* shard = nullptr;             // or null
    const std::filesystem::path* path = nullptr;  // of the shard's folder
  };
  struct Place {
    const Block& block;
    uint64_t begin, length;  // tokens
  };
  /// What was given by add(): documents in memory, or a folder.
  struct Part {
    std::unique_ptr<InMemory> memory;
    std::unique_ptr<const PreparedFolder> folder;
  };
  [[nodiscard]] Place place_of(int64_t document) const;
  InMemory& memory_at_the_end();
  static uint64_t hash_of(const Part& part);

  std::vector<Part> parts_;
  std::vector<Block> blocks_;
  std::vector<int64_t> first_documents_;  // of each block
  int64_t count_ = 0, tokens_ = 0;
};

/// Reads the files in their order. Error{input_file} for a file that cannot be read, too many bad rows, no kept row, or
/// a folder with ids outside the vocabulary; Error{config} for a folder with documents longer than a pack.
[[nodiscard]] Documents load_documents(const std::vector<std::filesystem::path>& files, int64_t vocab_size,
                                       int64_t pack_tokens, DataLedger& ledger);

}  // namespace dflash
