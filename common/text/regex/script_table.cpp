#include "common/text/regex/script_table.h"

#include <oniguruma.h>

#include <array>
#include <cstring>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/text/regex/unicode_properties.h"
#include "common/text/unicode/character_class.h"

namespace dflash {
namespace {

constexpr uint8_t kHan = 1;
// Of Unicode 14, without Unknown.
constexpr auto kScripts = std::to_array<const char*>({"Han",
                                                      "Common",
                                                      "Inherited",
                                                      "Latin",
                                                      "Greek",
                                                      "Cyrillic",
                                                      "Armenian",
                                                      "Hebrew",
                                                      "Arabic",
                                                      "Syriac",
                                                      "Thaana",
                                                      "Devanagari",
                                                      "Bengali",
                                                      "Gurmukhi",
                                                      "Gujarati",
                                                      "Oriya",
                                                      "Tamil",
                                                      "Telugu",
                                                      "Kannada",
                                                      "Malayalam",
                                                      "Sinhala",
                                                      "Thai",
                                                      "Lao",
                                                      "Tibetan",
                                                      "Myanmar",
                                                      "Georgian",
                                                      "Hangul",
                                                      "Ethiopic",
                                                      "Cherokee",
                                                      "Canadian_Aboriginal",
                                                      "Ogham",
                                                      "Runic",
                                                      "Khmer",
                                                      "Mongolian",
                                                      "Bopomofo",
                                                      "Yi",
                                                      "Old_Italic",
                                                      "Gothic",
                                                      "Deseret",
                                                      "Tagalog",
                                                      "Hanunoo",
                                                      "Buhid",
                                                      "Tagbanwa",
                                                      "Limbu",
                                                      "Tai_Le",
                                                      "Linear_B",
                                                      "Ugaritic",
                                                      "Shavian",
                                                      "Osmanya",
                                                      "Cypriot",
                                                      "Braille",
                                                      "Buginese",
                                                      "Coptic",
                                                      "New_Tai_Lue",
                                                      "Glagolitic",
                                                      "Tifinagh",
                                                      "Syloti_Nagri",
                                                      "Old_Persian",
                                                      "Kharoshthi",
                                                      "Balinese",
                                                      "Cuneiform",
                                                      "Phoenician",
                                                      "Phags_Pa",
                                                      "Nko",
                                                      "Sundanese",
                                                      "Lepcha",
                                                      "Ol_Chiki",
                                                      "Vai",
                                                      "Saurashtra",
                                                      "Kayah_Li",
                                                      "Rejang",
                                                      "Lycian",
                                                      "Carian",
                                                      "Lydian",
                                                      "Cham",
                                                      "Tai_Tham",
                                                      "Tai_Viet",
                                                      "Avestan",
                                                      "Egyptian_Hieroglyphs",
                                                      "Samaritan",
                                                      "Lisu",
                                                      "Bamum",
                                                      "Javanese",
                                                      "Meetei_Mayek",
                                                      "Imperial_Aramaic",
                                                      "Old_South_Arabian",
                                                      "Inscriptional_Parthian",
                                                      "Inscriptional_Pahlavi",
                                                      "Old_Turkic",
                                                      "Kaithi",
                                                      "Batak",
                                                      "Brahmi",
                                                      "Mandaic",
                                                      "Chakma",
                                                      "Meroitic_Cursive",
                                                      "Meroitic_Hieroglyphs",
                                                      "Miao",
                                                      "Sharada",
                                                      "Sora_Sompeng",
                                                      "Takri",
                                                      "Caucasian_Albanian",
                                                      "Bassa_Vah",
                                                      "Duployan",
                                                      "Elbasan",
                                                      "Grantha",
                                                      "Pahawh_Hmong",
                                                      "Khojki",
                                                      "Linear_A",
                                                      "Mahajani",
                                                      "Manichaean",
                                                      "Mende_Kikakui",
                                                      "Modi",
                                                      "Mro",
                                                      "Old_North_Arabian",
                                                      "Nabataean",
                                                      "Palmyrene",
                                                      "Pau_Cin_Hau",
                                                      "Old_Permic",
                                                      "Psalter_Pahlavi",
                                                      "Siddham",
                                                      "Khudawadi",
                                                      "Tirhuta",
                                                      "Warang_Citi",
                                                      "Ahom",
                                                      "Anatolian_Hieroglyphs",
                                                      "Hatran",
                                                      "Multani",
                                                      "Old_Hungarian",
                                                      "SignWriting",
                                                      "Adlam",
                                                      "Bhaiksuki",
                                                      "Marchen",
                                                      "Newa",
                                                      "Osage",
                                                      "Tangut",
                                                      "Masaram_Gondi",
                                                      "Nushu",
                                                      "Soyombo",
                                                      "Zanabazar_Square",
                                                      "Dogra",
                                                      "Gunjala_Gondi",
                                                      "Makasar",
                                                      "Medefaidrin",
                                                      "Hanifi_Rohingya",
                                                      "Sogdian",
                                                      "Old_Sogdian",
                                                      "Elymaic",
                                                      "Nandinagari",
                                                      "Nyiakeng_Puachue_Hmong",
                                                      "Wancho",
                                                      "Chorasmian",
                                                      "Dives_Akuru",
                                                      "Khitan_Small_Script",
                                                      "Yezidi",
                                                      "Vithkuqi",
                                                      "Toto",
                                                      "Cypro_Minoan",
                                                      "Old_Uyghur",
                                                      "Tangsa"});

}  // namespace

const ScriptTable& ScriptTable::get() {
  static const ScriptTable table;
  return table;
}

ScriptTable::ScriptTable() : script_(kCodePoints, kAny) {
  define_unicode_properties();  // starts Oniguruma
  uint8_t number = kHan;
  for (const char* name : kScripts) read(name, number++);
  read("Hiragana", kHan);
  read("Katakana", kHan);
  script_[0x30FC] = kHan;  // the sign that makes a vowel long; Common in Unicode
  script_[U' '] = kAny;
}

void ScriptTable::read(const char* name, uint8_t number) {
  OnigEncoding encoding = ONIG_ENCODING_UTF8;
  const auto* begin = reinterpret_cast<const OnigUChar*>(name);
  auto* first = const_cast<OnigUChar*>(begin);  // the signature lacks a const; it is only read
  const int property = encoding->property_name_to_ctype(encoding, first, first + std::strlen(name));
  OnigCodePoint unused = 0;
  const OnigCodePoint* ranges = nullptr;
  if (property < 0 || encoding->get_ctype_code_range(static_cast<OnigCtype>(property), &unused, &ranges) != 0) {
    throw Error(ErrorKind::internal, format("Oniguruma has no script {}", name));
  }
  for (OnigCodePoint i = 0; i < ranges[0]; ++i) {
    for (OnigCodePoint c = ranges[1 + 2 * i]; c <= ranges[2 + 2 * i]; ++c) script_[c] = number;
  }
}

}  // namespace dflash
