#include "common/text/unicode/normal_form.h"

#include <algorithm>

#include "common/text/unicode/normal_tables.h"
#include "common/text/unicode/utf8.h"

namespace dflash {
namespace {

bool composes(NormalForm form) {
  return form == NormalForm::c || form == NormalForm::kc;
}

bool compatible(NormalForm form) {
  return form == NormalForm::kc || form == NormalForm::kd;
}

/// Marks that follow one another stand in the order of their classes; equal ones stay as they came.
void order_marks(const NormalTables& tables, std::vector<CharacterChange>& text) {
  const auto mark_class = [&tables](const CharacterChange& c) { return tables.combining_class(c.code_point); };
  for (size_t begin = 0; begin < text.size(); ++begin) {
    if (mark_class(text[begin]) == 0) continue;
    size_t end = begin;
    while (end < text.size() && mark_class(text[end]) != 0) ++end;
    const auto at = [&text](size_t i) { return text.begin() + static_cast<std::ptrdiff_t>(i); };
    std::stable_sort(at(begin), at(end), [&](const CharacterChange& left, const CharacterChange& right) {
      return mark_class(left) < mark_class(right);
    });
    begin = end - 1;
  }
}

std::vector<CharacterChange> decompose(const NormalTables& tables, bool compatibility, std::string_view text) {
  std::vector<CharacterChange> out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    const Character character = decode_utf8(text.data() + i);
    int32_t change = 0;
    for (const char32_t part : tables.decomposition(character.code_point, compatibility)) {
      out.push_back({part, change});
      change = 1;
    }
    i += character.bytes;
  }
  order_marks(tables, out);
  return out;
}

/// Canonical composition in place (Unicode 16, section 3.11, D117).
void compose(const NormalTables& tables, std::vector<CharacterChange>& text) {
  constexpr size_t kNone = static_cast<size_t>(-1);
  size_t out = 0;
  size_t starter = kNone;
  int last_class = -1;  // of what stands between the starter and here; -1: nothing does
  for (size_t i = 0; i < text.size(); ++i) {
    const CharacterChange here = text[i];
    const int here_class = tables.combining_class(here.code_point);
    if (starter != kNone && last_class < here_class) {
      if (const char32_t joined = tables.composition(text[starter].code_point, here.code_point)) {
        text[starter] = {joined, text[starter].change + here.change - 1};
        continue;
      }
    }
    if (here_class == 0) starter = out;
    last_class = here_class == 0 ? -1 : here_class;
    text[out++] = here;
  }
  text.resize(out);
}

}  // namespace

bool surely_normal(NormalForm form, std::string_view text) {
  const NormalTables& tables = NormalTables::get();
  for (size_t i = 0; i < text.size();) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      ++i;
      continue;
    }
    const Character character = decode_utf8(text.data() + i);
    if (!tables.stands_alone(form, character.code_point)) return false;
    i += character.bytes;
  }
  return true;
}

std::vector<CharacterChange> normalize(NormalForm form, std::string_view text) {
  const NormalTables& tables = NormalTables::get();
  std::vector<CharacterChange> out = decompose(tables, compatible(form), text);
  if (composes(form)) compose(tables, out);
  return out;
}

}  // namespace dflash
