#include "common/text/unicode/normal_tables.h"

#include <utf8proc.h>

#include <algorithm>

#include "common/text/unicode/character_class.h"

namespace dflash {
namespace {

constexpr char32_t kMovesBelow = 0x30000;  // above are ideographs that stand alone, and from U+E0000 on tags
constexpr char32_t kHangulFirst = 0xAC00;
constexpr char32_t kHangulLast = 0xD7A3;
constexpr char32_t kLeading = 0x1100;
constexpr char32_t kVowel = 0x1161;
constexpr char32_t kTrailing = 0x11A7;  // one before the first: index 0 is none
constexpr char32_t kVowels = 21;
constexpr char32_t kTrailings = 28;

bool is_hangul(char32_t code_point) {
  return code_point >= kHangulFirst && code_point <= kHangulLast;
}

/// Composition of Hangul is arithmetic (Unicode 16, section 3.12); 0 when the two are none.
char32_t hangul_composition(char32_t first, char32_t second) {
  if (first >= kLeading && first < kLeading + 19 && second >= kVowel && second < kVowel + kVowels) {
    return kHangulFirst + ((first - kLeading) * kVowels + (second - kVowel)) * kTrailings;
  }
  if (is_hangul(first) && (first - kHangulFirst) % kTrailings == 0 && second > kTrailing &&
      second < kTrailing + kTrailings) {
    return first + (second - kTrailing);
  }
  return 0;
}

uint64_t pair_key(char32_t first, char32_t second) {
  return (uint64_t{first} << 32U) | second;
}

/// Whether composition gives back what decomposition took apart (Full_Composition_Exclusion says when not).
bool composes_again(char32_t code_point) {
  std::array<utf8proc_int32_t, 24> parts{};
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE);
  int boundary = 0;
  utf8proc_ssize_t size = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code_point), parts.data(),
                                                  static_cast<utf8proc_ssize_t>(parts.size()), options, &boundary);
  const auto again = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE);
  size = utf8proc_normalize_utf32(parts.data(), size, again);
  return size == 1 && static_cast<char32_t>(parts[0]) == code_point;
}

}  // namespace

const NormalTables& NormalTables::get() {
  static const NormalTables tables;
  return tables;
}

NormalTables::NormalTables() {
  read_compositions();
  read_moves();
}

int NormalTables::combining_class(char32_t code_point) const {
  if (code_point < 0x300) return 0;
  if ((CharacterClasses::get().of(code_point) & CharacterClass::kCombining) == 0) return 0;
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(code_point))->combining_class;
}

NormalTables::Parts NormalTables::decomposition(char32_t code_point, bool compatibility) const {
  Parts out;
  const bool old = (CharacterClasses::get().of(code_point) & CharacterClass::kUndecomposed) == 0;
  const utf8proc_property_t* property = utf8proc_get_property(static_cast<utf8proc_int32_t>(code_point));
  if (!old || (!is_hangul(code_point) && property->decomp_seqindex == UINT16_MAX)) {
    out.push_back(code_point);
    return out;
  }
  std::array<utf8proc_int32_t, 24> parts{};
  const int compat = compatibility ? UTF8PROC_COMPAT : 0;
  const auto options = static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | compat);
  int boundary = 0;
  const auto size = utf8proc_decompose_char(static_cast<utf8proc_int32_t>(code_point), parts.data(),
                                            static_cast<utf8proc_ssize_t>(parts.size()), options, &boundary);
  for (utf8proc_ssize_t i = 0; i < size; ++i) out.push_back(static_cast<char32_t>(parts[static_cast<size_t>(i)]));
  return out;
}

char32_t NormalTables::composition(char32_t first, char32_t second) const {
  if (const char32_t hangul = hangul_composition(first, second)) return hangul;
  const auto place = compositions_.find(pair_key(first, second));
  return place == compositions_.end() ? 0 : place->second;
}

void NormalTables::read_compositions() {
  std::vector<std::pair<Parts, char32_t>> composites;
  for (char32_t code_point = 0xC0; code_point < kMovesBelow; ++code_point) {
    if (is_hangul(code_point)) continue;
    const Parts parts = decomposition(code_point, false);
    if (parts.size() > 1 && composes_again(code_point)) composites.emplace_back(parts, code_point);
  }
  // All but the last part are together a shorter composite, which must be known first.
  std::ranges::stable_sort(composites, {}, [](const auto& composite) { return composite.first.size(); });
  for (const auto& [parts, code_point] : composites) {
    char32_t first = *parts.begin();
    for (const char32_t* part = parts.begin() + 1; part + 1 < parts.end(); ++part) first = composition(first, *part);
    compositions_.emplace(pair_key(first, *(parts.end() - 1)), code_point);
  }
}

void NormalTables::read_moves() {
  constexpr unsigned kAll = 0xF;
  const auto bit = [](NormalForm form) { return 1U << static_cast<unsigned>(form); };
  moves_.resize(kMovesBelow);
  for (char32_t code_point = 0x80; code_point < kMovesBelow; ++code_point) {
    unsigned moves = combining_class(code_point) != 0 ? kAll : 0;
    const Parts compatible = decomposition(code_point, true);
    const Parts canonical = decomposition(code_point, false);
    if (compatible.size() > 1 || *compatible.begin() != code_point) moves |= bit(NormalForm::kd);
    if (!std::ranges::equal(compatible, canonical)) moves |= bit(NormalForm::kc);
    if (canonical.size() > 1 || *canonical.begin() != code_point) moves |= bit(NormalForm::d);
    const bool composite = canonical.size() > 1 && (is_hangul(code_point) || composes_again(code_point));
    if ((moves & bit(NormalForm::d)) != 0 && !composite) moves |= bit(NormalForm::c);
    moves_[code_point] = static_cast<uint8_t>(moves);
  }
  const auto may_join = [this](char32_t second) { moves_[second] |= 1U << static_cast<unsigned>(NormalForm::c); };
  for (const auto& [pair, composite] : compositions_) may_join(static_cast<char32_t>(pair & 0xFFFFFFFFU));
  for (char32_t jamo = kVowel; jamo < kTrailing + kTrailings; ++jamo) may_join(jamo);
  for (char32_t code_point = 0; code_point < kMovesBelow; ++code_point) {
    if ((moves_[code_point] & bit(NormalForm::c)) != 0) moves_[code_point] |= static_cast<uint8_t>(bit(NormalForm::kc));
  }
}

}  // namespace dflash
