#include "common/text/tokenizer/aligned_text.h"

#include <algorithm>

#include "common/text/unicode/utf8.h"

namespace dflash {

OriginSpan character_span(std::string_view input, size_t at) {
  size_t begin = at;
  while (!begins_character(input[begin])) --begin;
  return {static_cast<uint32_t>(begin),
          static_cast<uint32_t>(begin + utf8_bytes(static_cast<unsigned char>(input[begin])))};
}

void AlignedText::assign(const TextSlice& slice, std::string_view input, bool tracked) {
  text_ = slice.text;
  input_bytes_ = input.size();
  tracked_ = tracked;
  origin_.clear();
  if (!tracked) return;
  origin_.reserve(text_.size());
  if (slice.origin != nullptr) {
    origin_.assign(slice.origin, slice.origin + text_.size());
    begin_in_input_ = text_.empty() ? 0 : origin_.front().begin;
    return;
  }
  begin_in_input_ = static_cast<uint32_t>(slice.text.data() - input.data());
  for (size_t i = 0; i < text_.size();) {
    const uint32_t bytes = utf8_bytes(static_cast<unsigned char>(text_[i]));
    const auto begin = static_cast<uint32_t>(begin_in_input_ + i);
    origin_.insert(origin_.end(), bytes, OriginSpan{begin, begin + bytes});
    i += bytes;
  }
}

OriginSpan AlignedText::origin_before(size_t byte) const {
  if (byte == 0) return {begin_in_input_, begin_in_input_};
  return origin_[std::min(byte, origin_.size()) - 1];
}

void AlignedText::transform(std::span<const CharacterChange> changes, size_t removed_first) {
  const auto skip = [this](size_t from, size_t characters) {
    while (characters-- > 0 && from < text_.size()) from += utf8_bytes(static_cast<unsigned char>(text_[from]));
    return from;
  };
  check_size(changes.size());
  new_text_.clear();
  new_origin_.clear();
  size_t old = skip(0, removed_first);
  for (const CharacterChange& change : changes) {
    const size_t before = new_text_.size();
    append_utf8(new_text_, change.code_point);
    const bool adds = change.change > 0;
    if (tracked_) {
      const OriginSpan span = adds || old >= origin_.size() ? origin_before(old) : origin_[old];
      new_origin_.insert(new_origin_.end(), new_text_.size() - before, span);
    }
    if (!adds) old = skip(old, 1 + static_cast<size_t>(-change.change));
  }
  text_.swap(new_text_);
  origin_.swap(new_origin_);
}

void AlignedText::replace(size_t begin, size_t end, std::string_view inserted) {
  if (!replacing_) {
    new_text_.clear();
    new_origin_.clear();
    replacing_ = true;
  }
  check_size(new_text_.size() + (begin - copied_bytes_) + inserted.size());
  new_text_.append(text_, copied_bytes_, begin - copied_bytes_);
  new_text_ += inserted;
  if (tracked_) {
    const auto at = [this](size_t i) { return origin_.begin() + static_cast<std::ptrdiff_t>(i); };
    new_origin_.insert(new_origin_.end(), at(copied_bytes_), at(begin));
    new_origin_.insert(new_origin_.end(), inserted.size(), origin_before(end));
  }
  copied_bytes_ = end;
}

void AlignedText::finish_replacing() {
  if (!replacing_) return;
  new_text_.append(text_, copied_bytes_);
  if (tracked_) {
    new_origin_.insert(new_origin_.end(), origin_.begin() + static_cast<std::ptrdiff_t>(copied_bytes_), origin_.end());
  }
  text_.swap(new_text_);
  origin_.swap(new_origin_);
  copied_bytes_ = 0;
  replacing_ = false;
}

void AlignedText::prepend(std::string_view prefix) {
  if (text_.empty()) return;
  check_size(text_.size() + prefix.size());
  text_.insert(0, prefix);
  if (tracked_) origin_.insert(origin_.begin(), prefix.size(), OriginSpan(origin_.front()));
}

void AlignedText::cut(size_t begin, size_t end) {
  text_ = text_.substr(begin, end - begin);
  if (!tracked_) return;
  origin_.resize(end);
  origin_.erase(origin_.begin(), origin_.begin() + static_cast<std::ptrdiff_t>(begin));
}

}  // namespace dflash
