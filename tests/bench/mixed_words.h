// What MixedText is made of: parts of words of several languages, and signs.
#pragma once

#include <array>
#include <string_view>

namespace dflash::bench {

inline constexpr auto kEnglishEnds = std::to_array<std::string_view>(
    {"ing", "ed",   "ness", "less", "able", "ly",   "er",  "ers", "s",     "ful", "ment",
     "ish", "like", "wise", "ward", "hood", "ship", "ism", "ist", "ation", "ize", "ized"});
inline constexpr auto kEnglishBeginnings = std::to_array<std::string_view>(
    {"un", "re", "over", "under", "inter", "non", "mis", "out", "sub", "super", "pre", "post", "anti", "semi"});
inline constexpr auto kSyllables = std::to_array<std::string_view>(
    {"ma", "ro", "del", "vin", "ter", "sho",  "kal", "mir", "an",    "os", "bre", "lund", "wick", "ton", "fer",
     "ga", "li", "zo",  "pre", "tal", "quin", "mor", "har", "stein", "ev", "ic",  "ul",   "dra",  "pon", "ny"});
inline constexpr auto kAccented = std::to_array<std::string_view>(
    {"für",       "größe",    "straße",  "möglich", "über",   "können",    "natürlich", "wäre",        "Änderung",
     "schließen", "hören",    "Bäume",   "été",     "où",     "déjà",      "garçon",    "fenêtre",     "hôtel",
     "être",      "théâtre",  "cœur",    "naïve",   "leçon",  "réponse",   "élève",     "señor",       "mañana",
     "niño",      "corazón",  "también", "está",    "árbol",  "según",     "canción",   "pequeño",     "único",
     "día",       "não",      "ação",    "coração", "até",    "português", "maçã",      "información", "żółw",
     "łódź",      "dziękuję", "źródło",  "książka", "přítel", "kůň",       "řeka",      "çok",         "güneş",
     "değil",     "ışık",     "för",     "själv",   "år",     "område",    "hvordan",   "også"});
inline constexpr auto kRussianStems = std::to_array<std::string_view>(
    {"вод",  "дом",  "город", "слов",   "книг",  "рек",  "дорог", "врем", "люд",   "ноч",  "ден",   "рук",
     "глаз", "школ", "работ", "мысл",   "стар",  "нов",  "больш", "мал",  "хорош", "тих",  "светл", "тёмн",
     "пис",  "чит",  "говор", "ход",    "вид",   "слыш", "дума",  "зна",  "люб",   "жд",   "стро",  "игр",
     "леж",  "сто",  "бег",   "пут",    "мор",   "гор",  "пол",   "лес",  "снег",  "ветр", "дожд",  "земл",
     "неб",  "солн", "голос", "вопрос", "ответ", "числ", "мер",   "вес",  "цвет",  "звук", "запах", "машин"});
inline constexpr auto kRussianEnds = std::to_array<std::string_view>(
    {"",   "а",   "у",  "ы",   "е",   "ом",  "ами",  "ах",   "ов",  "ый",   "ого",  "ому",
     "ым", "ая",  "ой", "ую",  "ые",  "ых",  "ить",  "ил",   "ила", "или",  "ишь",  "ит",
     "ют", "ать", "ал", "ала", "али", "ает", "ание", "ость", "ник", "ница", "ство", "ский"});
inline constexpr auto kRussianBeginnings = std::to_array<std::string_view>(
    {"", "", "", "", "", "при", "пере", "за", "вы", "по", "под", "раз", "без", "не", "до", "от"});
inline constexpr std::string_view kChinese =
    "的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能"
    "好都然没日于"
    "起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二"
    "理美点月明其"
    "种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关"
    "并内加化由却";
inline constexpr std::string_view kKana =
    "のにはをたがでてとしれさいるあっなりらからまこもうきくそよえわつせけどめちんやみおすばじだろほひゆアイウエオカキク"
    "ケコサシスタテトナ"
    "ニネハフマミムメモラリルレロワンガギグゲゴジズデドバビブベボパピプポー";
inline constexpr std::string_view kGreek = "αβγδεζηθικλμνξοπρςστυφχψωάέήίόύώ";
inline constexpr std::string_view kArabic = "ابتثجحخدذرزسشصضطظعغفقكلمنهوي";
inline constexpr std::string_view kHindi = "कखगघचछजझटठडढणतथदधनपफबभमयरलवशषसहािीुूेैोौं";
inline constexpr std::string_view kEmoji = "😀😂🥲😍🤔👍🎉🔥✨💡🚀📈🌍🍎⚠✅❌❤🫨🧠🐍🦀🎯📝🔧";
inline constexpr std::string_view kSigns = "→←≤≥≠±×÷∑√∞€£¥§¶†…“”‘’—–•°²½";

}  // namespace dflash::bench
