// TokenizerFile: a tokenizer.json taken apart, before anything is made of it. The vocabulary and the merges, which are
// nearly all of its bytes, become plain lists; the rest stays JSON.
//
// Threading: one thread; the views live as long as the object.
// Limits: files of at most 512 MiB, nested at most 64 deep; four million values beside vocabulary and merges; ids below
// 2^31; no number beyond a double. What is broken is
//   an Error{input_file} that names the file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"

namespace dflash {

struct VocabularyEntry {
  std::string_view token;
  uint32_t id;
};

struct ScoredPiece {
  std::string_view token;
  double score;
};

struct MergeRule {
  std::string_view left;
  std::string_view right;
};

class TokenizerFile {
 public:
  /// `source`: a path, for messages.
  TokenizerFile(std::string_view json, std::string source);
  ~TokenizerFile();
  TokenizerFile(const TokenizerFile&) = delete;
  TokenizerFile& operator=(const TokenizerFile&) = delete;

  std::string source;
  Json settings;  ///< the file without model.vocab and model.merges; of two equal keys the last
  std::vector<VocabularyEntry> vocabulary;  ///< model.vocab when it is an object
  std::vector<ScoredPiece> pieces;          ///< model.vocab when it is a list
  std::vector<MergeRule> merges;
  bool has_merges = false;

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
};

}  // namespace dflash
