#include "common/text/tokenizer/tokenizer_file.h"

#include <simdjson.h>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/base/one_line.h"

namespace dflash {

struct TokenizerFile::Parsed {
  simdjson::dom::parser parser;
};

namespace {

namespace dom = simdjson::dom;
constexpr size_t kLargestFileBytes = size_t{512} << 20U;
constexpr int kDeepestNesting = 64;
constexpr size_t kMostValues = 4'000'000;  // 250,000 added tokens have two million
constexpr uint64_t kLargestId = (uint64_t{1} << 31U) - 1;

class Reader {
 public:
  explicit Reader(TokenizerFile& file) : file_(file) {}

  void read(dom::element root) {
    if (!root.is_object()) refuse("expected an object");
    file_.settings = Json::object();
    for (const auto& [key, value] : dom::object(root)) {
      const std::string name(key);
      file_.settings[name] = name == "model" && value.is_object() ? read_model(dom::object(value)) : to_json(value, 1);
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    throw Error(ErrorKind::input_file, format("{}: {}", file_.source, what));
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as kDeepestNesting
  Json to_json(dom::element value, int depth) {
    if (++values_ > kMostValues) refuse(format("more than {} values beside vocabulary and merges", kMostValues));
    if (depth > kDeepestNesting) refuse(format("nests deeper than {}", kDeepestNesting));
    switch (value.type()) {
      case dom::element_type::OBJECT: {
        Json json = Json::object();
        for (const auto& [key, member] : dom::object(value)) json[std::string(key)] = to_json(member, depth + 1);
        return json;
      }
      case dom::element_type::ARRAY: {
        Json json = Json::array();
        for (const dom::element item : dom::array(value)) json.push_back(to_json(item, depth + 1));
        return json;
      }
      case dom::element_type::STRING:
        return std::string(std::string_view(value));
      case dom::element_type::INT64: {
        const int64_t number = int64_t(value);  // what is not negative is unsigned, as nlohmann has it
        return number < 0 ? Json(number) : Json(static_cast<uint64_t>(number));
      }
      case dom::element_type::UINT64:
        return uint64_t(value);
      case dom::element_type::DOUBLE:
        return double(value);
      case dom::element_type::BOOL:
        return bool(value);
      default:
        return nullptr;
    }
  }

  Json read_model(dom::object model) {
    Json json = Json::object();
    for (const auto& [key, value] : model) {
      if (key == "vocab" && value.is_object()) {
        read_vocabulary(dom::object(value));
      } else if (key == "vocab" && value.is_array()) {
        read_pieces(dom::array(value));
      } else if (key == "merges" && value.is_array()) {
        read_merges(dom::array(value));
      } else {
        json[std::string(key)] = to_json(value, 2);
      }
    }
    return json;
  }

  void read_vocabulary(dom::object vocabulary) {
    file_.vocabulary.clear();
    file_.vocabulary.reserve(vocabulary.size());
    for (const auto& [token, value] : vocabulary) {
      uint64_t id = 0;
      if (value.get(id) != simdjson::SUCCESS || id > kLargestId) {
        refuse(format("model.vocab: '{}' has no id from 0 to {}", shown(token), kLargestId));
      }
      file_.vocabulary.push_back({token, static_cast<uint32_t>(id)});
    }
  }

  void read_pieces(dom::array pieces) {
    file_.pieces.clear();
    file_.pieces.reserve(pieces.size());
    for (const dom::element item : pieces) {
      dom::array pair;
      std::string_view token;
      double score = 0;
      if (item.get(pair) != simdjson::SUCCESS || pair.size() != 2 || pair.at(0).get(token) != simdjson::SUCCESS ||
          pair.at(1).get(score) != simdjson::SUCCESS) {
        refuse(format("model.vocab[{}]: expected [token, score]", file_.pieces.size()));
      }
      file_.pieces.push_back({token, score});
    }
  }

  void read_merges(dom::array merges) {
    file_.merges.clear();
    file_.merges.reserve(merges.size());
    file_.has_merges = true;
    size_t index = 0;
    for (const dom::element item : merges) read_merge(item, index++);
  }

  void read_merge(dom::element item, size_t index) {
    MergeRule rule;
    dom::array pair;
    std::string_view line;
    if (item.get(line) == simdjson::SUCCESS) {
      if (line.starts_with("#version")) return;
      const size_t blank = line.find(' ');
      if (blank == std::string_view::npos || line.find(' ', blank + 1) != std::string_view::npos) {
        refuse(format("model.merges[{}]: '{}' must be two tokens with one space between them", index, shown(line)));
      }
      rule = {line.substr(0, blank), line.substr(blank + 1)};
    } else if (item.get(pair) != simdjson::SUCCESS || pair.size() != 2 ||
               pair.at(0).get(rule.left) != simdjson::SUCCESS || pair.at(1).get(rule.right) != simdjson::SUCCESS) {
      refuse(format("model.merges[{}]: expected two tokens, as a list or with one space between them", index));
    }
    file_.merges.push_back(rule);
  }

  static std::string shown(std::string_view text) { return one_line(std::string(text.substr(0, 80))); }

  TokenizerFile& file_;
  size_t values_ = 0;  // made into JSON
};

}  // namespace

TokenizerFile::TokenizerFile(std::string_view json, std::string source_name)
    : source(std::move(source_name)), parsed_(std::make_unique<Parsed>()) {
  if (json.size() > kLargestFileBytes) {
    throw Error(ErrorKind::input_file, format("{}: {} bytes is too large for a tokenizer.json", source, json.size()));
  }
  dom::element root;
  const simdjson::error_code code = parsed_->parser.parse(json.data(), json.size()).get(root);
  if (code != simdjson::SUCCESS) {
    throw Error(ErrorKind::input_file, format("{}: not JSON: {}", source, simdjson::error_message(code)));
  }
  Reader(*this).read(root);
}

TokenizerFile::~TokenizerFile() = default;

}  // namespace dflash
