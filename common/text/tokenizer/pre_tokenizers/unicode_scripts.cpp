#include "common/text/tokenizer/pre_tokenizers/unicode_scripts.h"

#include "common/text/regex/script_table.h"
#include "common/text/unicode/utf8.h"

namespace dflash {
namespace {

class UnicodeScripts : public PreTokenizer {
 public:
  /// As the reference library: what stands before the first character with a script vanishes (spaces, that is).
  void apply(SegmentList& list) const override {
    const ScriptTable& scripts = ScriptTable::get();
    list.split_each([&scripts](const TextSlice& slice, auto emit) {
      constexpr size_t kNone = static_cast<size_t>(-1);
      size_t begin = kNone;
      uint8_t last = ScriptTable::kAny;
      for (size_t i = 0; i < slice.text.size();) {
        const Character character = decode_utf8(slice.text.data() + i);
        const uint8_t script = scripts.of(character.code_point);
        if (script != ScriptTable::kAny && script != last) {
          if (begin != kNone) emit(slice.part(begin, i));
          begin = i;
          last = script;
        }
        i += character.bytes;
      }
      if (begin != kNone) emit(slice.part(begin, slice.text.size()));
    });
  }
};

}  // namespace

std::unique_ptr<PreTokenizer> make_unicode_scripts() {
  return std::make_unique<UnicodeScripts>();
}

}  // namespace dflash
