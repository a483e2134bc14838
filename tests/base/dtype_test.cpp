#include "common/base/dtype.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dflash {
namespace {

struct Row {
  DType dtype;
  std::string code;
  size_t bytes;
};

// The codes of the safetensors format with their widths.
const std::vector<Row> kRows{
    {DType::f32, "F32", 4},      {DType::f64, "F64", 8},         {DType::f16, "F16", 2},
    {DType::bf16, "BF16", 2},    {DType::i64, "I64", 8},         {DType::i32, "I32", 4},
    {DType::i16, "I16", 2},      {DType::i8, "I8", 1},           {DType::u8, "U8", 1},
    {DType::boolean, "BOOL", 1}, {DType::f8_e4m3, "F8_E4M3", 1}, {DType::f8_e5m2, "F8_E5M2", 1}};

TEST(DType, CodesAndWidthsAreThoseOfSafetensors) {
  for (const Row& row : kRows) {
    EXPECT_EQ(dtype_code(row.dtype), row.code);
    EXPECT_EQ(dtype_bytes(row.dtype), row.bytes) << row.code;
    EXPECT_EQ(dtype_from_code(row.code), row.dtype) << row.code;
  }
}

TEST(DType, UnknownCodesGiveNothing) {
  for (const char* code : {"", "f32", "F4", "F6_E2M3", "F8_E8M0", "U16", "F32 ", "COMPLEX64"}) {
    EXPECT_EQ(dtype_from_code(code), std::nullopt) << code;
  }
}

}  // namespace
}  // namespace dflash
