// AlignedText: a text on its way through normalizers, and where in the input each of its bytes came from.
//
// Threading: one thread.
// Limits: inputs below 4 GiB. A text that outgrows growth_limit.h is an Error{input_file}.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/text/tokenizer/growth_limit.h"
#include "common/text/unicode/normal_form.h"

namespace dflash {

/// Bytes [begin, end) of the input.
struct OriginSpan {
  uint32_t begin = 0;
  uint32_t end = 0;
  bool operator==(const OriginSpan&) const = default;
};

/// A run of text somewhere on that way. `origin` has one entry for each byte of `text`; it is null when nobody asked
/// for origins, and when `text` lies in the input itself.
struct TextSlice {
  std::string_view text;
  const OriginSpan* origin = nullptr;
  [[nodiscard]] TextSlice part(size_t begin, size_t end) const {
    return {text.substr(begin, end - begin), origin == nullptr ? nullptr : origin + begin};
  }
};

/// The input's span of the whole character that holds byte `at` of it.
[[nodiscard]] OriginSpan character_span(std::string_view input, size_t at);

class AlignedText {
 public:
  /// Takes over `slice`; when `tracked`, with the origin of each byte. `input` is what origins count in.
  void assign(const TextSlice& slice, std::string_view input, bool tracked);

  [[nodiscard]] std::string_view text() const { return text_; }
  [[nodiscard]] TextSlice slice() const { return {text_, tracked_ ? origin_.data() : nullptr}; }

  /// A new text: one entry for each of its characters. The first `removed_first` old characters are gone.
  void transform(std::span<const CharacterChange> changes, size_t removed_first = 0);
  /// Puts `inserted` in place of bytes [begin, end) and of those that more calls name, in ascending order;
  /// finish_replacing() ends the series. What is inserted has the origin of the last byte it replaces, or of the byte
  /// before.
  void replace(size_t begin, size_t end, std::string_view inserted);
  void finish_replacing();
  /// Puts `prefix` before the first character, which gives its origin to it. No effect on an empty text.
  void prepend(std::string_view prefix);
  /// Keeps bytes [begin, end).
  void cut(size_t begin, size_t end);
  /// Error when a text of so many bytes may not become of the input.
  void check_size(size_t bytes) const { check_growth(bytes, input_bytes_); }

 private:
  [[nodiscard]] OriginSpan origin_before(size_t byte) const;

  std::string text_;
  std::vector<OriginSpan> origin_;  // empty when not tracked
  bool tracked_ = false;
  size_t input_bytes_ = 0;
  uint32_t begin_in_input_ = 0;
  std::string new_text_;
  std::vector<OriginSpan> new_origin_;
  bool replacing_ = false;
  size_t copied_bytes_ = 0;  // of text_, in new_text_ already
};

}  // namespace dflash
