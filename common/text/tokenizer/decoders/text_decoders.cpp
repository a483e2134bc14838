#include "common/text/tokenizer/decoders/text_decoders.h"

#include <algorithm>
#include <array>

#include "common/text/tokenizer/growth_limit.h"
#include "common/text/tokenizer/pre_tokenizers/metaspace.h"
#include "common/text/tokenizer/pre_tokenizers/pattern_matcher.h"
#include "common/text/unicode/utf8.h"

namespace dflash {
namespace {

void replace_all(std::string& text, std::string_view old, std::string_view inserted) {
  if (old.empty() || text.find(old) == std::string::npos) return;
  std::string out;
  size_t done = 0;
  for (size_t at = text.find(old); at != std::string::npos; at = text.find(old, done)) {
    out.append(text, done, at - done);
    out += inserted;
    done = at + old.size();
  }
  out.append(text, done);
  text = std::move(out);
}

/// Takes back the blanks that splitting English put in.
void clean_up(std::string& text) {
  constexpr std::array<std::array<std::string_view, 2>, 11> kRules{{{" .", "."},
                                                                    {" ?", "?"},
                                                                    {" !", "!"},
                                                                    {" ,", ","},
                                                                    {" ' ", "'"},
                                                                    {" n't", "n't"},
                                                                    {" 'm", "'m"},
                                                                    {" do not", " don't"},
                                                                    {" 's", "'s"},
                                                                    {" 've", "'ve"},
                                                                    {" 're", "'re"}}};
  for (const auto& [old, inserted] : kRules) replace_all(text, old, inserted);
}

class WordPieceDecoder : public TokenDecoder {
 public:
  explicit WordPieceDecoder(const ComponentFields& fields)
      : prefix_(fields.text("prefix")), cleans_up_(fields.flag("cleanup")) {}
  void apply(std::vector<std::string>& tokens) const override {
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (i > 0) {
        if (tokens[i].starts_with(prefix_)) {
          tokens[i].erase(0, prefix_.size());
        } else {
          tokens[i].insert(tokens[i].begin(), ' ');
        }
      }
      if (cleans_up_) clean_up(tokens[i]);
    }
  }

 private:
  std::string prefix_;
  bool cleans_up_;
};

class BpeDecoder : public TokenDecoder {
 public:
  explicit BpeDecoder(const ComponentFields& fields) : suffix_(fields.text("suffix")) {}
  void apply(std::vector<std::string>& tokens) const override {
    for (size_t i = 0; i < tokens.size(); ++i) replace_all(tokens[i], suffix_, i + 1 == tokens.size() ? "" : " ");
  }

 private:
  std::string suffix_;
};

class MetaspaceDecoder : public TokenDecoder {
 public:
  explicit MetaspaceDecoder(const ComponentFields& fields) : settings_(read_metaspace(fields)) {}
  void apply(std::vector<std::string>& tokens) const override {
    const std::string marker = to_utf8(settings_.replacement);
    for (size_t i = 0; i < tokens.size(); ++i) {
      replace_all(tokens[i], marker, i == 0 && settings_.prepend != PrependScheme::never ? "" : " ");
    }
  }

 private:
  MetaspaceSettings settings_;
};

class CtcDecoder : public TokenDecoder {
 public:
  explicit CtcDecoder(const ComponentFields& fields)
      : pad_(fields.text("pad_token")),
        word_delimiter_(fields.text("word_delimiter_token")),
        cleans_up_(fields.flag("cleanup")) {}
  void apply(std::vector<std::string>& tokens) const override {
    const auto repeated = std::ranges::unique(tokens);
    tokens.erase(repeated.begin(), repeated.end());
    for (std::string& token : tokens) {
      replace_all(token, pad_, "");
      if (!cleans_up_) continue;
      clean_up(token);
      replace_all(token, word_delimiter_, " ");
    }
    std::erase(tokens, "");
  }

 private:
  std::string pad_;
  std::string word_delimiter_;
  bool cleans_up_;
};

class ReplaceDecoder : public TokenDecoder {
 public:
  explicit ReplaceDecoder(const ComponentFields& fields)
      : matcher_(read_pattern(fields, "pattern")), content_(fields.text("content")) {}
  void apply(std::vector<std::string>& tokens) const override {
    const size_t bytes = total_bytes(tokens);
    size_t inserted = 0;
    std::vector<Regex::Match> matches;
    for (std::string& token : tokens) {
      matches.clear();
      matcher_->find_all(token, matches);
      inserted += matches.size() * content_.size();
      check_growth(inserted, bytes);
      if (!matches.empty()) token = replaced(token, matches);
    }
  }

 private:
  [[nodiscard]] std::string replaced(const std::string& token, const std::vector<Regex::Match>& matches) const {
    std::string out;
    size_t done = 0;
    for (const Regex::Match& match : matches) {
      out.append(token, done, match.begin - done);
      out += content_;
      done = match.end;
    }
    return out.append(token, done);
  }

  std::unique_ptr<const PatternMatcher> matcher_;
  std::string content_;
};

class FuseDecoder : public TokenDecoder {
 public:
  void apply(std::vector<std::string>& tokens) const override {
    std::string all;
    for (const std::string& token : tokens) all += token;
    tokens.assign(1, std::move(all));
  }
};

/// At most so many of one character go from either end of each token.
class StripDecoder : public TokenDecoder {
 public:
  explicit StripDecoder(const ComponentFields& fields)
      : content_(to_utf8(fields.character("content"))), start_(fields.count("start")), stop_(fields.count("stop")) {}
  void apply(std::vector<std::string>& tokens) const override {
    for (std::string& token : tokens) {
      size_t begin = 0;
      const auto begins = [&] { return std::string_view(token).substr(begin).starts_with(content_); };
      for (uint32_t i = 0; i < start_ && begins(); ++i) begin += content_.size();
      token.erase(0, begin);
      for (uint32_t i = 0; i < stop_ && token.ends_with(content_); ++i) token.resize(token.size() - content_.size());
    }
  }

 private:
  std::string content_;
  uint32_t start_;
  uint32_t stop_;
};

}  // namespace

std::unique_ptr<const TokenDecoder> make_text_decoder(const std::string& type, const ComponentFields& fields) {
  if (type == "WordPiece") return std::make_unique<WordPieceDecoder>(fields);
  if (type == "BPEDecoder") return std::make_unique<BpeDecoder>(fields);
  if (type == "Metaspace") return std::make_unique<MetaspaceDecoder>(fields);
  if (type == "CTC") return std::make_unique<CtcDecoder>(fields);
  if (type == "Replace") return std::make_unique<ReplaceDecoder>(fields);
  if (type == "Fuse") return std::make_unique<FuseDecoder>();
  if (type == "Strip") return std::make_unique<StripDecoder>(fields);
  return nullptr;
}

}  // namespace dflash
