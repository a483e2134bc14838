// ComponentFields: the keys of one component of a tokenizer.json (a normalizer, a decoder, ...), read with their rules;
// every complaint names the file, the component's place in it and the key.
//
// A key that is null counts as absent. Keys that nobody asks for are ignored, as the reference library does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/json.h"

namespace dflash {

class ComponentFields {
 public:
  /// `where`: file and place, "tokenizer.json: normalizer". Error{input_file} when `json` is no object.
  ComponentFields(const Json& json, std::string where);

  [[nodiscard]] bool has(const std::string& key) const;
  [[nodiscard]] const Json& value(const std::string& key) const;
  [[nodiscard]] std::string text(const std::string& key) const;
  [[nodiscard]] std::string text(const std::string& key, const std::string& absent) const;
  [[nodiscard]] bool flag(const std::string& key) const;
  [[nodiscard]] bool flag(const std::string& key, bool absent) const;
  /// An integer from 0 to 2^32 - 1.
  [[nodiscard]] uint32_t count(const std::string& key) const;
  /// A string of exactly one character.
  [[nodiscard]] char32_t character(const std::string& key) const;
  /// The objects of a list, each with its place.
  [[nodiscard]] std::vector<ComponentFields> list(const std::string& key) const;
  [[nodiscard]] ComponentFields object(const std::string& key) const;

  [[nodiscard]] const std::string& where() const { return where_; }
  [[noreturn]] void refuse(const std::string& key, const std::string& why) const;
  /// Error for a `type` nobody knows: it names the type and those of `kind` that are known.
  [[noreturn]] void refuse_type(const std::string& kind, const std::string& known) const;

 private:
  const Json* json_;
  std::string where_;
};

/// An integer from 0 to 2^32 - 1; nothing for anything else.
[[nodiscard]] std::optional<uint32_t> json_count(const Json& json);

/// Where component `key` of `file` stands, for messages.
[[nodiscard]] std::string component_place(const std::string& file, const std::string& key);

}  // namespace dflash
