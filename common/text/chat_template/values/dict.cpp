#include "common/text/chat_template/values/dict.h"

#include <algorithm>

#include "common/base/format.h"
#include "common/text/chat_template/values/compare.h"

namespace dflash::jinja {

Dict::Dict(std::vector<Entry> entries) {
  entries_.reserve(entries.size());
  for (Entry& entry : entries) insert(std::move(entry));
  int deepest = 0;
  for (const auto& [key, value] : entries_) deepest = std::max({deepest, key.depth(), value.depth()});
  if (deepest >= kDeepestValue) fail(TemplateFailure::limit, format("values nest deeper than {}", kDeepestValue));
  depth_ = deepest + 1;
}

void Dict::insert(Entry entry) {
  if (const Value* old = find(entry.first)) {
    *const_cast<Value*>(old) = std::move(entry.second);  // still being made: the entries are ours to change
    return;
  }
  entries_.push_back(std::move(entry));
  if (entries_.size() <= kSmall) return;
  // Beyond kSmall the table holds every text key: the first time all of them, then the new one.
  for (size_t i = entries_.size() == kSmall + 1 ? 0 : entries_.size() - 1; i < entries_.size(); ++i) {
    if (const Text* text = entries_[i].first.text()) places_.emplace(text->bytes, i);
  }
}

const Value* Dict::find(std::string_view key) const {
  if (entries_.size() > kSmall) {
    const auto place = places_.find(key);
    return place == places_.end() ? nullptr : &entries_[place->second].second;
  }
  for (const auto& [name, value] : entries_) {
    if (const Text* text = name.text(); text != nullptr && text->bytes == key) return &value;
  }
  return nullptr;
}

const Value* Dict::find(const Value& key) const {
  if (const Text* text = key.text()) return find(std::string_view(text->bytes));
  for (const auto& [name, value] : entries_) {
    if (name.text() == nullptr && are_equal(name, key)) return &value;
  }
  return nullptr;
}

Value make_dict(std::vector<Dict::Entry> entries) {
  return Value::of_dict(std::make_shared<const Dict>(std::move(entries)));
}

void require_hashable(const Value& key) {
  if (const Sequence* sequence = key.sequence()) {
    if (sequence->kind == SequenceKind::list) type_error("unhashable type: 'list'");
    for (const Value& item : sequence->items) require_hashable(item);
  }
  if (key.dict() != nullptr) type_error("unhashable type: 'dict'");
}

}  // namespace dflash::jinja
