// JsonRow: one line of JSON lines, parsed; its fields are taken out one by one, so that columns nobody wants cost
// nothing. A key that stands twice counts as its last value, as in Python.
//
// Threading: one thread; a JsonRow is used again for the next line.
// Limits: a value taken out nests at most 64 deep; numbers must fit 64 bits or a double.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/json.h"

namespace dflash {

class JsonRow {
 public:
  JsonRow();
  JsonRow(JsonRow&& other) noexcept;
  JsonRow& operator=(JsonRow&& other) noexcept;
  ~JsonRow();

  /// Throws BadRow: bad_json, not_an_object.
  void parse(std::string_view line);

  /// Of the parsed row, in its order; valid until the next parse.
  [[nodiscard]] std::vector<std::string_view> keys() const;
  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] bool is_null(std::string_view key) const;
  /// A copy of the field; null when it is absent. Throws BadRow{bad_json} when it nests too deep.
  [[nodiscard]] Json value(std::string_view key) const;

  /// Reads the ready token ids of the row: `input_ids` (integers in [0, vocab_size)) and `loss_mask` (0, 1, false or
  /// true) of the same length. Throws BadRow{bad_tokens}.
  void read_tokens(int64_t vocab_size, std::vector<int32_t>& input_ids, std::vector<uint8_t>& loss_mask) const;
  /// The same for a list of ids alone, the field `key`.
  void read_ids(const char* key, int64_t vocab_size, std::vector<int32_t>& ids) const;

 private:
  struct Parsed;
  std::unique_ptr<Parsed> parsed_;
};

/// Parses JSON text that stands in a string of a row. Throws BadRow{bad_json}.
[[nodiscard]] Json parse_embedded_json(const std::string& text);

}  // namespace dflash
