#include <exception>

#include "common/base/error.h"
#include "common/text/tokenizer/tokenizer.h"
#include "common/text/unicode/utf8.h"
#include "tests/fuzz/fuzz_target.h"

namespace dflash::fuzz {
namespace {

constexpr std::string_view kText =
    "Hello  world, it's 12345 caf\xC3\xA9 \xE4\xBD\xA0\xE5\xA5\xBD <|end|> \xF0\x9F\x98\x80\r\n\n \xD0\xB4\xD0\xB0! "
    "e\xCC\x81 "
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab";

void check_encoding(const Encoding& encoding, std::string_view text) {
  require(encoding.offsets.size() == encoding.ids.size(), "there is an offset for each id");
  for (const TokenOffset& offset : encoding.offsets) {
    require(offset.begin <= offset.end && offset.end <= text.size(), "offsets lie in the text");
  }
}

}  // namespace

void tokenizer_file(std::string_view bytes) {
  try {
    const Tokenizer tokenizer = Tokenizer::parse(bytes, "fuzzed.json");
    TokenizerScratch scratch;
    Encoding encoding;
    tokenizer.encode(kText, {true, OffsetUnit::bytes, true}, scratch, encoding);
    check_encoding(encoding, kText);
    const std::vector<uint32_t> ids = encoding.ids;
    tokenizer.encode(kText, {}, scratch, encoding);
    require(encoding.ids == ids, "ids do not depend on offsets, nor on the cache of words");
    require(is_utf8(tokenizer.decode(ids, false)), "decoded text is UTF-8");
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::input_file, "an error is one of the file");
  }
}

}  // namespace dflash::fuzz
