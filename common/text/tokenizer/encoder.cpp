#include "common/text/tokenizer/encoder.h"

#include <algorithm>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/text/regex/search_budget.h"
#include "common/text/tokenizer/offset_counter.h"
#include "common/text/unicode/utf8.h"

namespace dflash {
namespace {

void check_text(std::string_view text) {
  if (text.size() > INT32_MAX) {
    throw Error(ErrorKind::input_file, format("a text of {} bytes is too long to be encoded at once", text.size()));
  }
  if (!is_utf8(text)) throw Error(ErrorKind::input_file, "the text is not UTF-8");
}

/// Added tokens, those of the text as it is and those of the normalized text; and the normalizer between them.
void split_added_tokens(const TokenizerParts& parts, SegmentList& list) {
  const auto split_at_tokens = [&](const TextSlice& slice, bool normalized, auto& emit) {
    parts.added.split(slice.text, normalized,
                      [&](size_t begin, size_t end, std::optional<uint32_t> id) { emit(slice.part(begin, end), id); });
  };
  list.split_each([&](const TextSlice& slice, auto emit) { split_at_tokens(slice, false, emit); });
  list.split_each([&](const TextSlice& slice, auto emit) {
    TextSlice normalized = slice;
    if (parts.normalizer && !parts.normalizer->keeps(slice.text)) {
      AlignedText& text = list.alter(slice);
      parts.normalizer->apply(text);
      normalized = text.slice();
    }
    split_at_tokens(normalized, true, emit);
  });
}

class EncodingWriter {
 public:
  EncodingWriter(const TokenizerParts& parts, std::string_view input, OffsetUnit unit, bool tokens, Encoding& out)
      : parts_(parts), input_(input), tokens_(tokens), unit_(unit), counter_(input), out_(out) {}

  void add_token(uint32_t id, const TextSlice& slice) {
    out_.ids.push_back(id);
    if (unit_ != OffsetUnit::none) add_offset(slice, 0, slice.text.size());
    if (tokens_) out_.tokens.emplace_back(slice.text);
  }

  void add_piece(std::span<const PieceToken> tokens, const TextSlice& slice) {
    for (const PieceToken& token : tokens) {
      out_.ids.push_back(token.id);
      if (unit_ != OffsetUnit::none) add_offset(slice, token.begin, token.end);
      if (tokens_) add_text(token, slice);
    }
  }

 private:
  void add_text(const PieceToken& token, const TextSlice& slice) {
    if (parts_.model->spelled_as_text() == token.id) {
      out_.tokens.emplace_back(slice.text.substr(token.begin, token.end - token.begin));
    } else {
      out_.tokens.emplace_back(parts_.model->token_of(token.id).value_or(""));
    }
  }

  void add_offset(const TextSlice& slice, size_t begin, size_t end) {
    const size_t last = slice.text.size() - 1;
    const OriginSpan first_byte = origin(slice, std::min(begin, last));
    const OriginSpan last_byte = origin(slice, std::min(std::max(end, size_t{1}) - 1, last));
    if (unit_ == OffsetUnit::bytes) {
      out_.offsets.push_back({first_byte.begin, last_byte.end});
    } else {
      out_.offsets.push_back({counter_.characters_before(first_byte.begin), counter_.characters_before(last_byte.end)});
    }
  }

  [[nodiscard]] OriginSpan origin(const TextSlice& slice, size_t byte) const {
    if (slice.origin != nullptr) return slice.origin[byte];
    return character_span(input_, static_cast<size_t>(slice.text.data() - input_.data()) + byte);
  }

  const TokenizerParts& parts_;
  std::string_view input_;
  bool tokens_;
  OffsetUnit unit_;
  OffsetCounter counter_;
  Encoding& out_;
};

}  // namespace

void encode_text(const TokenizerParts& parts, std::string_view text, const EncodeOptions& options,
                 EncoderScratch& scratch, Encoding& out) {
  check_text(text);
  const SearchBudget searches(text.size());
  if (scratch.words_of != parts.number) scratch.words.clear();
  scratch.words_of = parts.number;
  const bool wants_offsets = options.offsets != OffsetUnit::none;
  const bool trims = wants_offsets && parts.post_processor && parts.post_processor->trims_offsets();
  scratch.segments.begin(text, wants_offsets || parts.needs_origins);
  split_added_tokens(parts, scratch.segments);
  if (parts.pre_tokenizer) parts.pre_tokenizer->apply(scratch.segments);

  out.clear();
  EncodingWriter writer(parts, text, options.offsets, options.tokens || trims, out);
  for (const Segment& segment : scratch.segments.segments()) {
    if (segment.token) {
      writer.add_token(*segment.token, segment.slice);
      continue;
    }
    scratch.tokens.clear();
    parts.model->tokenize(segment.slice.text, scratch.words, scratch.tokens);
    writer.add_piece(scratch.tokens, segment.slice);
  }
  if (parts.post_processor) parts.post_processor->apply(out, options.special_tokens);
  if (!wants_offsets) out.offsets.clear();
  if (!options.tokens) out.tokens.clear();
}

}  // namespace dflash
