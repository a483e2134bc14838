#include "common/text/tokenizer/pre_tokenizers/metaspace.h"

#include "common/base/format.h"
#include "common/base/one_line.h"
#include "common/text/unicode/utf8.h"

namespace dflash {
namespace {

PrependScheme read_scheme(const ComponentFields& fields) {
  if (!fields.has("prepend_scheme")) {
    return fields.flag("add_prefix_space", true) ? PrependScheme::always : PrependScheme::never;
  }
  const std::string name = fields.text("prepend_scheme");
  if (!fields.flag("add_prefix_space", true) && name != "never") {
    fields.refuse("prepend_scheme", format("is '{}', but add_prefix_space is false", one_line(name)));
  }
  if (name == "always") return PrependScheme::always;
  if (name == "first") return PrependScheme::first;
  if (name == "never") return PrependScheme::never;
  fields.refuse("prepend_scheme", format("is '{}': expected always, first or never", one_line(name)));
}

}  // namespace

MetaspaceSettings read_metaspace(const ComponentFields& fields) {
  return {fields.character("replacement"), read_scheme(fields), fields.flag("split", true)};
}

Metaspace::Metaspace(const MetaspaceSettings& settings) : settings_(settings), marker_(to_utf8(settings.replacement)) {}

TextSlice Metaspace::mark_spaces(SegmentList& list, const TextSlice& slice) const {
  const bool at_begin = list.at_input_begin(slice);
  AlignedText& text = list.alter(slice);
  for (size_t at = slice.text.find(' '); at != std::string_view::npos; at = slice.text.find(' ', at + 1)) {
    text.replace(at, at + 1, marker_);
  }
  text.finish_replacing();
  const bool wants_prefix =
      settings_.prepend == PrependScheme::always || (settings_.prepend == PrependScheme::first && at_begin);
  if (wants_prefix && !text.text().starts_with(marker_)) text.prepend(marker_);
  return text.slice();
}

void Metaspace::apply(SegmentList& list) const {
  list.split_each([&](const TextSlice& slice, auto emit) {
    const TextSlice marked = mark_spaces(list, slice);
    size_t begin = 0;
    if (settings_.split) {
      for (size_t at = marked.text.find(marker_); at != std::string_view::npos;
           at = marked.text.find(marker_, at + marker_.size())) {
        emit(marked.part(begin, at));
        begin = at;
      }
    }
    emit(marked.part(begin, marked.text.size()));
  });
}

}  // namespace dflash
