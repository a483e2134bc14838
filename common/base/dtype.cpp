#include "common/base/dtype.h"

#include <array>

namespace dflash {
namespace {

struct DTypeRow {
  DType dtype;
  std::string_view code;
  size_t bytes;
};

constexpr std::array<DTypeRow, 12> kRows{{{DType::f32, "F32", 4},
                                          {DType::f64, "F64", 8},
                                          {DType::f16, "F16", 2},
                                          {DType::bf16, "BF16", 2},
                                          {DType::i64, "I64", 8},
                                          {DType::i32, "I32", 4},
                                          {DType::i16, "I16", 2},
                                          {DType::i8, "I8", 1},
                                          {DType::u8, "U8", 1},
                                          {DType::boolean, "BOOL", 1},
                                          {DType::f8_e4m3, "F8_E4M3", 1},
                                          {DType::f8_e5m2, "F8_E5M2", 1}}};

const DTypeRow& row_of(DType dtype) {
  return kRows[static_cast<size_t>(dtype)];
}

}  // namespace

size_t dtype_bytes(DType dtype) {
  return row_of(dtype).bytes;
}
std::string_view dtype_code(DType dtype) {
  return row_of(dtype).code;
}

std::optional<DType> dtype_from_code(std::string_view code) {
  for (const DTypeRow& row : kRows) {
    if (row.code == code) return row.dtype;
  }
  return std::nullopt;
}

}  // namespace dflash
