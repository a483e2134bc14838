// Dict: Python's dictionary, in order of insertion, never changed once it is made.
//
// Threading: as Value. Limits: a lookup by a key that is no text walks all entries.
#pragma once

#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/text/chat_template/values/value.h"

namespace dflash::jinja {

class Dict {
 public:
  using Entry = std::pair<Value, Value>;

  /// A key that comes again keeps its place and takes the later value.
  explicit Dict(std::vector<Entry> entries);

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] int depth() const { return depth_; }
  /// Null when there is no such key.
  [[nodiscard]] const Value* find(std::string_view key) const;
  [[nodiscard]] const Value* find(const Value& key) const;

 private:
  static constexpr size_t kSmall = 8;  ///< up to here a walk is quicker than a table
  void insert(Entry entry);
  std::vector<Entry> entries_;
  std::unordered_map<std::string_view, size_t> places_;  ///< of text keys, when there are more than kSmall entries
  int depth_ = 1;
};

[[nodiscard]] Value make_dict(std::vector<Dict::Entry> entries);

/// Fails for what Python cannot hash: lists and dictionaries.
void require_hashable(const Value& key);

}  // namespace dflash::jinja
