#include "tests/bench/mixed_text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>
#include <random>

#include "common/base/file.h"
#include "common/base/format.h"
#include "common/base/json.h"
#include "common/text/tokenizer/tokenizer.h"
#include "common/text/unicode/utf8.h"
#include "tests/bench/mixed_words.h"

namespace dflash::bench {
namespace {

namespace fs = std::filesystem;
constexpr size_t kChatsRead = 1000;

bool is_letter(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

std::vector<std::string> characters_of(std::string_view text) {
  std::vector<std::string> characters;
  for (size_t at = 0; at < text.size();) {
    const size_t bytes = utf8_bytes(static_cast<unsigned char>(text[at]));
    characters.emplace_back(text.substr(at, bytes));
    at += bytes;
  }
  return characters;
}

class Writer {
 public:
  Writer(const fs::path& tree, uint64_t seed) : random_(seed) {
    read_tree(tree);
    read_chats(tree);
  }

  std::string document() {
    const auto kinds = std::to_array<std::pair<int, void (Writer::*)()>>({{35, &Writer::english},
                                                                          {22, &Writer::source},
                                                                          {10, &Writer::chat},
                                                                          {9, &Writer::russian},
                                                                          {8, &Writer::asian},
                                                                          {6, &Writer::table},
                                                                          {6, &Writer::accented},
                                                                          {4, &Writer::other_script}});
    auto choice = static_cast<int>(below(100));
    size_t kind = 0;
    while (choice >= kinds[kind].first) choice -= kinds[kind++].first;
    out_.clear();
    const size_t bytes = 1000 + below(7000);
    while (out_.size() < bytes) (this->*kinds[kind].second)();
    return out_;
  }

 private:
  uint64_t below(uint64_t n) { return random_() % n; }
  bool once_in(uint64_t n) { return below(n) == 0; }
  template <typename List>
  const auto& any(const List& list) {
    return list[below(list.size())];
  }
  /// The first ones far more often than the last.
  template <typename List>
  const auto& mostly_first(const List& list) {
    const double place = static_cast<double>(random_() >> 11U) * 0x1p-53;
    return list[static_cast<size_t>(place * place * place * static_cast<double>(list.size()))];
  }

  void read_tree(const fs::path& tree) {
    std::vector<fs::path> files;
    for (const char* folder : {"common", "coordinator", "target_worker", "drafter_worker", "deploy", "tests"}) {
      for (const auto& entry : fs::recursive_directory_iterator(tree / folder)) {
        const std::string end = entry.path().extension().string();
        if (end == ".cpp" || end == ".h" || end == ".md" || end == ".py" || end == ".txt")
          files.push_back(entry.path());
      }
    }
    std::ranges::sort(files);
    for (const fs::path& file : files) {
      const MappedFile mapped(file);
      if (!is_utf8(mapped.text())) continue;
      sources_ += mapped.text();
      collect_words(mapped.text(), file.extension() == ".md");
    }
    for (size_t at = 0; at < sources_.size(); at = sources_.find('\n', at) + 1) lines_.push_back(at);
  }

  /// Words of pages, and of comments.
  void collect_words(std::string_view text, bool page) {
    bool wanted = page;
    for (size_t at = 0; at < text.size(); ++at) {
      if (text[at] == '\n') wanted = page;
      if (text[at] == '/' && text.substr(at).starts_with("//")) wanted = true;
      if (!wanted || !is_letter(text[at])) continue;
      const size_t begin = at;
      while (at < text.size() && is_letter(text[at])) ++at;
      words_.emplace_back(text.substr(begin, at - begin));
      --at;
    }
  }

  void read_chats(const fs::path& tree) {
    const Tokenizer tokenizer = Tokenizer::read(tree / "deploy" / "quickstart-data" / "target" / "tokenizer.json");
    const MappedFile rows(tree / "deploy" / "quickstart-data" / "chat.jsonl");
    for (size_t at = 0; at < rows.text().size() && chats_.size() < kChatsRead;) {
      const size_t end = rows.text().find('\n', at);
      const Json row = Json::parse(rows.text().substr(at, end - at));
      if (row.contains("input_ids")) {
        chats_.push_back(tokenizer.decode(row.at("input_ids").get<std::vector<uint32_t>>(), false));
      } else {
        for (const Json& message : row.at("messages")) {
          chats_.push_back("<|im_start|>" + message.at("role").get<std::string>() + "\n" +
                           message.at("content").get<std::string>() + "<|im_end|>\n");
        }
      }
      at = end + 1;
    }
  }

  std::string name() {
    std::string name;
    for (uint64_t parts = 2 + below(2); parts > 0; --parts) name += any(kSyllables);
    name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
    return name;
  }

  std::string english_word() {
    const std::string& word = any(words_);
    const uint64_t rare = below(30);
    if (rare == 0) return name();
    if (rare == 1 && word.size() > 3) return std::string(any(kEnglishBeginnings)) + word;
    if (rare == 2 && word.size() > 3) return word + std::string(any(kEnglishEnds));
    return word;
  }

  template <typename Word>
  void sentence(Word word, std::string_view between, std::string_view end) {
    const uint64_t words = 5 + below(20);
    for (uint64_t i = 0; i < words; ++i) {
      out_ += word();
      if (i + 1 < words) out_ += once_in(9) ? std::string(any(kPauses)) + std::string(between) : std::string(between);
    }
    out_ += end;
    out_ += once_in(6) ? "\n\n" : between;
  }

  void english() {
    sentence([this] { return once_in(40)   ? format("{}", below(3000))
                             : once_in(60) ? "don't"
                                           : english_word(); }, " ",
             once_in(8) ? "?" : ".");
  }

  void source() {
    const size_t line = below(lines_.size());
    const size_t begin = lines_[line];
    const size_t end = lines_[std::min(line + 12 + below(30), lines_.size() - 1)];
    for (size_t at = begin; at < end; ++at) {
      const size_t word = at;
      while (at < end && is_letter(sources_[at])) ++at;
      if (at - word > 3 && once_in(8)) {
        out_ += any(words_) + (once_in(2) ? "_" : "") + english_word();
      } else {
        out_.append(sources_, word, at - word);
      }
      if (at < end) out_ += sources_[at];
    }
  }

  void chat() {
    out_ += any(chats_);
    out_ += "<|im_start|>user\n";
    english();
    out_ += "<|im_end|>\n";
  }

  void russian() {
    const auto word = [this] {
      return format("{}{}{}", mostly_first(kRussianBeginnings), mostly_first(kRussianStems),
                    mostly_first(kRussianEnds));
    };
    sentence(word, " ", ".");
  }

  std::string run_of(const std::vector<std::string>& characters, uint64_t least, uint64_t more) {
    std::string run;
    for (uint64_t count = least + below(more); count > 0; --count) run += mostly_first(characters);
    return run;
  }

  void asian() {
    const uint64_t language = below(4);
    if (language == 3) {
      return sentence(
          [this] {
            std::string word;
            for (uint64_t i = 1 + below(4); i > 0; --i)
              append_utf8(word, static_cast<char32_t>(0xAC00 + below(60) * below(180)));
            return word;
          },
          " ", ".");
    }
    sentence(
        [this, language] {
          std::string word = run_of(chinese_, 1, 6);
          if (once_in(4)) append_utf8(word, static_cast<char32_t>(0x4E00 + below(0x51A6)));
          if (language == 2) word += run_of(kana_, 2, 5);
          return word;
        },
        "", "。");
  }

  void table() {
    const uint64_t kind = below(3);
    for (int i = 0; i < 8; ++i) {
      if (kind == 0) {
        out_ += format("{},{:.3f},{:08x},20{:02}-{:02}-{:02}T{:02}:{:02}:00Z\n", below(1000000),
                       static_cast<double>(below(1000000)) / 777, below(UINT32_MAX), below(30), 1 + below(12),
                       1 + below(28), below(24), below(60));
      } else if (kind == 1) {
        out_ += Json{{"id", below(100000)}, {english_word(), name()}, {"value", below(1000)}}.dump() + "\n";
      } else {
        out_ += format("| {} | {} | +{}% |\n", name(), below(10000), below(100));
      }
    }
  }

  void accented() {
    sentence([this] { return once_in(3) ? english_word() : std::string(mostly_first(kAccented)); }, " ", ".");
  }

  void other_script() {
    const auto* letters = &any(scripts_);
    sentence([this, letters] { return run_of(*letters, 2, 6); }, " ", run_of(emoji_, 0, 3));
  }

  static constexpr auto kPauses = std::to_array<std::string_view>({",", ",", ",", ";", ":", " -", " (", ")", "\n"});
  std::mt19937_64 random_;
  std::string out_;
  std::string sources_;
  std::vector<size_t> lines_;  // where they begin in sources_
  std::vector<std::string> words_;
  std::vector<std::string> chats_;
  std::vector<std::string> chinese_ = characters_of(kChinese);
  std::vector<std::string> kana_ = characters_of(kKana);
  std::vector<std::string> emoji_ = characters_of(kEmoji);
  std::vector<std::vector<std::string>> scripts_ = {characters_of(kGreek), characters_of(kArabic),
                                                    characters_of(kHindi), characters_of(kSigns)};
};

}  // namespace

std::vector<std::string> make_mixed_text(const fs::path& tree, size_t bytes, uint64_t seed) {
  Writer writer(tree, seed);
  std::vector<std::string> documents;
  for (size_t done = 0; done < bytes; done += documents.back().size()) documents.push_back(writer.document());
  return documents;
}

}  // namespace dflash::bench
