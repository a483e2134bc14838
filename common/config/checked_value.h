// One TOML value, checked against the key it is meant for: type, range, choices; relative paths made absolute.
//
// This header and those that include it show toml++: they are of use to the files of this room alone.
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "common/base/json.h"
#include "common/config/schema.h"

namespace dflash {

/// Where values come from: how a place in the text is named, and where relative paths start.
struct ValueSource {
  std::function<std::string(const toml::source_region&)> place;
  std::filesystem::path folder;
};

/// Throws Error{config} that begins with the value's place and the key's name.
class ValueChecker {
 public:
  ValueChecker(const SettingKey& key, const ValueSource& source) : key_(key), source_(source) {}

  [[nodiscard]] int64_t integer(const toml::node& node) const;
  /// An integer is a number too. Always finite.
  [[nodiscard]] double number(const toml::node& node) const;
  /// Absolute where the schema says file_path.
  [[nodiscard]] std::string string(const toml::node& node) const;
  [[nodiscard]] bool boolean(const toml::node& node) const;
  [[nodiscard]] const google::protobuf::EnumValueDescriptor* choice(const toml::node& node) const;
  [[nodiscard]] const toml::array& array(const toml::node& node) const;
  [[nodiscard]] const toml::table& table(const toml::node& node) const;
  /// Texts, numbers, true and false, and lists and tables of them: what a named value may be.
  [[nodiscard]] Json json(const toml::node& node) const;
  /// Of a named value that stands at `node`: not empty, and without "=".
  void check_name(const toml::node& node, const std::string& name) const;

 private:
  [[noreturn]] void refuse(const toml::node& node, const std::string& why) const;
  [[noreturn]] void refuse_type(const toml::node& node, const std::string& expected) const;
  void check_range(const toml::node& node, double value) const;

  const SettingKey& key_;
  const ValueSource& source_;
};

}  // namespace dflash
