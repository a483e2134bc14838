#include <numeric>

#include "common/text/tokenizer/decoders/byte_decoders.h"
#include "common/text/tokenizer/decoders/decoder.h"
#include "common/text/tokenizer/decoders/text_decoders.h"
#include "common/text/tokenizer/growth_limit.h"

namespace dflash {
namespace {

class DecoderSequence : public TokenDecoder {
 public:
  explicit DecoderSequence(const ComponentFields& fields) {
    for (const ComponentFields& part : fields.list("decoders")) parts_.push_back(make_decoder(part));
  }
  void apply(std::vector<std::string>& tokens) const override {
    const size_t bytes = total_bytes(tokens);
    for (const auto& part : parts_) {
      part->apply(tokens);
      check_growth(total_bytes(tokens), bytes);
    }
  }

 private:
  std::vector<std::unique_ptr<const TokenDecoder>> parts_;
};

}  // namespace

size_t total_bytes(std::span<const std::string> tokens) {
  return std::accumulate(tokens.begin(), tokens.end(), size_t{0},
                         [](size_t sum, const std::string& token) { return sum + token.size(); });
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the JSON may nest
std::unique_ptr<const TokenDecoder> make_decoder(const ComponentFields& fields) {
  const std::string type = fields.text("type");
  if (type == "Sequence") return std::make_unique<DecoderSequence>(fields);
  if (type == "ByteLevel") return std::make_unique<ByteLevelDecoder>();
  if (type == "ByteFallback") return std::make_unique<ByteFallbackDecoder>();
  if (auto decoder = make_text_decoder(type, fields)) return decoder;
  fields.refuse_type("decoder",
                     "BPEDecoder, ByteFallback, ByteLevel, CTC, Fuse, Metaspace, Replace, Sequence, Strip, WordPiece");
}

}  // namespace dflash
