// ScriptTable: the writing system of each code point, by Oniguruma's tables.
//
// Threading: made at the first call of get(), then never changed.
// Limits: Unicode 14, where the reference library has a table of its own; characters newer than that have no script.
#pragma once

#include <cstdint>
#include <vector>

namespace dflash {

class ScriptTable {
 public:
  [[nodiscard]] static const ScriptTable& get();

  /// Of a space and of what has no script.
  static constexpr uint8_t kAny = 0;
  /// A number for each script; Hiragana and Katakana have that of Han.
  [[nodiscard]] uint8_t of(char32_t code_point) const { return script_[code_point]; }

 private:
  ScriptTable();
  void read(const char* name, uint8_t number);
  std::vector<uint8_t> script_;
};

}  // namespace dflash
