#include "common/base/error.h"
#include "common/base/format.h"
#include "common/text/tokenizer/models/bpe_model.h"
#include "common/text/tokenizer/models/unigram_model.h"
#include "common/text/tokenizer/models/word_models.h"

namespace dflash {
namespace {

/// Old files do not name the type: the keys tell it.
std::string model_type(const TokenizerFile& file, const ComponentFields& fields) {
  if (fields.has("type")) return fields.text("type");
  if (file.has_merges) return "BPE";
  if (!file.pieces.empty()) return "Unigram";
  return fields.has("max_input_chars_per_word") ? "WordPiece" : "WordLevel";
}

}  // namespace

std::unique_ptr<const TokenModel> make_token_model(const TokenizerFile& file, bool raw_bytes) {
  const auto place = file.settings.find("model");
  if (place == file.settings.end()) {
    throw Error(ErrorKind::input_file, format("{}: 'model' is missing: this is no tokenizer.json", file.source));
  }
  const ComponentFields fields(*place, component_place(file.source, "model"));
  const std::string type = model_type(file, fields);
  if (type == "BPE") return std::make_unique<BpeModel>(file, fields, raw_bytes);
  if (type == "Unigram") return std::make_unique<UnigramModel>(file, fields);
  if (type == "WordPiece") return std::make_unique<WordPieceModel>(file, fields);
  if (type == "WordLevel") return std::make_unique<WordLevelModel>(file, fields);
  fields.refuse_type("model", "BPE, Unigram, WordPiece, WordLevel");
}

}  // namespace dflash
