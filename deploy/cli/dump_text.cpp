#include "deploy/cli/dump_text.h"

#include "common/base/json.h"
#include "common/text/tokenizer/tokenizer.h"
#include "deploy/cli/json_rows.h"

namespace dflash {
namespace {

Json offsets_json(const Encoding& encoding) {
  Json list = Json::array();
  for (const TokenOffset& offset : encoding.offsets) list.push_back({offset.begin, offset.end});
  return list;
}

}  // namespace

size_t dump_text(const std::string& tokenizer_path, const std::string& input) {
  const Tokenizer tokenizer = Tokenizer::read(tokenizer_path);
  TokenizerScratch scratch;
  Encoding encoding;
  return answer_rows(input, [&](const Json& row) {
    const std::string text = row_text(row, "text");
    tokenizer.encode(text, {true, OffsetUnit::characters, true}, scratch, encoding);
    Json answer{{"ids", encoding.ids}, {"offsets", offsets_json(encoding)}, {"tokens", encoding.tokens}};
    answer["decoded"] = tokenizer.decode(encoding.ids, false);
    answer["decoded_skip_special"] = tokenizer.decode(encoding.ids, true);
    tokenizer.encode(text, {false, OffsetUnit::characters, false}, scratch, encoding);
    answer["ids_plain"] = encoding.ids;
    answer["offsets_plain"] = offsets_json(encoding);
    return answer;
  });
}

}  // namespace dflash
