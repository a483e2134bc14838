#include "common/text/tokenizer/post_processors/special_tokens.h"

#include <optional>
#include <unordered_map>
#include <vector>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/one_line.h"
#include "common/text/tokenizer/post_processors/trim_offsets.h"

namespace dflash {
namespace {

constexpr size_t kMostPieces = 64;  // each may be the whole text

struct SpecialToken {
  uint32_t id;
  std::string token;
};

void append(Encoding& encoding, const SpecialToken& special, const Encoding& like) {
  encoding.ids.push_back(special.id);
  if (!like.offsets.empty() || like.ids.empty()) encoding.offsets.emplace_back();
  if (!like.tokens.empty() || like.ids.empty()) encoding.tokens.push_back(special.token);
}

void append(Encoding& encoding, const Encoding& text) {
  encoding.ids.insert(encoding.ids.end(), text.ids.begin(), text.ids.end());
  encoding.offsets.insert(encoding.offsets.end(), text.offsets.begin(), text.offsets.end());
  encoding.tokens.insert(encoding.tokens.end(), text.tokens.begin(), text.tokens.end());
}

/// A list of special tokens and of places where the text stands.
class Template : public PostProcessor {
 public:
  explicit Template(const ComponentFields& fields) : where_(fields.where()) {
    if (fields.list("single").size() > kMostPieces)
      fields.refuse("single", format("has more than {} pieces", kMostPieces));
    for (const ComponentFields& piece : fields.list("single")) {
      if (piece.has("Sequence")) {
        check_sequence(piece.object("Sequence"));
        pieces_.emplace_back();
      } else {
        pieces_.emplace_back(piece.object("SpecialToken").text("id"));
      }
    }
    if (fields.has("special_tokens")) read_tokens(fields);
  }

  /// Without special tokens the text still stands as often as the template has it.
  void apply(Encoding& encoding, bool special_tokens) const override {
    Encoding out;
    for (const auto& piece : pieces_) {
      if (!piece) {
        append(out, encoding);
      } else if (special_tokens) {
        for (const SpecialToken& special : tokens_named(*piece)) append(out, special, encoding);
      }
    }
    encoding = std::move(out);
  }

 private:
  static void check_sequence(const ComponentFields& sequence) {
    const std::string id = sequence.text("id");
    if (id != "A") sequence.refuse("id", format("is '{}': a single text has A alone", one_line(id)));
  }

  void read_tokens(const ComponentFields& fields) {
    const ComponentFields declared = fields.object("special_tokens");
    for (const auto& [name, unused] : fields.value("special_tokens").items()) {
      const ComponentFields token = declared.object(name);
      const Json& ids = token.value("ids");
      const Json& names = token.value("tokens");
      if (!ids.is_array() || !names.is_array() || ids.size() != names.size()) {
        token.refuse("ids", "must be a list as long as 'tokens'");
      }
      for (size_t i = 0; i < ids.size(); ++i) {
        if (!json_count(ids[i]) || !names[i].is_string()) {
          token.refuse("ids", "must hold token ids, and 'tokens' their names");
        }
        tokens_[name].push_back({ids[i].get<uint32_t>(), names[i].get<std::string>()});
      }
    }
  }

  [[nodiscard]] const std::vector<SpecialToken>& tokens_named(const std::string& name) const {
    const auto place = tokens_.find(name);
    if (place == tokens_.end()) {
      throw Error(ErrorKind::input_file,
                  format("{}: the template names '{}', which special_tokens does not declare", where_, one_line(name)));
    }
    return place->second;
  }

  std::string where_;
  std::vector<std::optional<std::string>> pieces_;  // nothing: the text
  std::unordered_map<std::string, std::vector<SpecialToken>> tokens_;
};

/// One token in front, one behind.
class Around : public PostProcessor {
 public:
  Around(const ComponentFields& fields, bool trims, bool adds_space)
      : first_(read(fields, "cls")), last_(read(fields, "sep")), trims_(trims), adds_space_(adds_space) {}

  void apply(Encoding& encoding, bool special_tokens) const override {
    if (trims_) trim_offsets(encoding, adds_space_);
    if (!special_tokens) return;
    Encoding out;
    append(out, first_, encoding);
    append(out, encoding);
    append(out, last_, encoding);
    encoding = std::move(out);
  }
  [[nodiscard]] bool trims_offsets() const override { return trims_; }

 private:
  static SpecialToken read(const ComponentFields& fields, const std::string& key) {
    const Json& pair = fields.value(key);
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !json_count(pair[1])) {
      fields.refuse(key, "must be [token, id]");
    }
    return {pair[1].get<uint32_t>(), pair[0].get<std::string>()};
  }

  SpecialToken first_;
  SpecialToken last_;
  bool trims_;
  bool adds_space_;
};

}  // namespace

std::unique_ptr<const PostProcessor> make_special_tokens(const std::string& type, const ComponentFields& fields) {
  if (type == "TemplateProcessing") return std::make_unique<Template>(fields);
  if (type == "BertProcessing") return std::make_unique<Around>(fields, false, false);
  if (type == "RobertaProcessing") {
    return std::make_unique<Around>(fields, fields.flag("trim_offsets", true), fields.flag("add_prefix_space", true));
  }
  return nullptr;
}

}  // namespace dflash
