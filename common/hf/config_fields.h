// ConfigFields: the keys of one config.json, read with their rules; every complaint names the file and the key.
//
// A key that is null counts as absent.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/dtype.h"
#include "common/base/json.h"

namespace dflash {

/// Whether it is an integer in [least, most]; nlohmann keeps what is above int64 as unsigned, which counts as outside.
[[nodiscard]] bool is_integer_within(const Json& value, int64_t least, int64_t most);

class ConfigFields {
 public:
  /// Error{input_file} when `json` is no object. `json` must outlive this.
  ConfigFields(const Json& json, std::string source);

  [[nodiscard]] bool has(const std::string& key) const;
  /// Written down as null, for the few keys where that differs from absent.
  [[nodiscard]] bool is_null(const std::string& key) const { return json_.contains(key) && !has(key); }
  /// The value of a key that has() is true for.
  [[nodiscard]] const Json& value(const std::string& key) const { return json_.at(key); }
  [[nodiscard]] const Json& json() const { return json_; }
  [[nodiscard]] const std::string& source() const { return source_; }

  /// An integer in [least, most]; Error when it is missing, no integer, or outside.
  [[nodiscard]] int64_t integer(const std::string& key, int64_t least, int64_t most) const;
  [[nodiscard]] std::optional<int64_t> optional_integer(const std::string& key, int64_t least, int64_t most) const;
  /// One integer, a list of them, or nothing.
  [[nodiscard]] std::vector<int64_t> integers(const std::string& key, int64_t least, int64_t most) const;
  /// A finite number above 0.
  [[nodiscard]] double positive_number(const std::string& key) const;
  [[nodiscard]] bool flag(const std::string& key, bool absent) const;
  [[nodiscard]] std::string text(const std::string& key) const;

  [[noreturn]] void refuse(const std::string& key, const std::string& why) const;

 private:
  const Json& json_;
  std::string source_;
};

constexpr int64_t kLargestSize = int64_t{1} << 31;
constexpr int64_t kMostLayers = 10000;

/// `dtype`, else `torch_dtype`: float32, bfloat16 or float16, others refused by name.
[[nodiscard]] DType read_config_dtype(const ConfigFields& fields);
/// "float32", "bfloat16", "float16".
[[nodiscard]] std::string config_dtype_name(DType dtype);
/// The inverse; nothing for another name.
[[nodiscard]] std::optional<DType> dtype_from_config_name(std::string_view name);

/// Error for what changes a decoder layer in a way that is not computed: activation, dropout, quantisation.
void refuse_unknown_layers(const ConfigFields& fields);

}  // namespace dflash
