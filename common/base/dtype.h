// Element types of tensors in files and slots.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dflash {

enum class DType : uint8_t { f32, f64, f16, bf16, i64, i32, i16, i8, u8, boolean, f8_e4m3, f8_e5m2 };

/// Bytes of one element.
[[nodiscard]] size_t dtype_bytes(DType dtype);
/// The code used in safetensors headers: F32, BF16, I64, BOOL, F8_E4M3, ...
[[nodiscard]] std::string_view dtype_code(DType dtype);
/// The inverse; nothing for a code we do not know.
[[nodiscard]] std::optional<DType> dtype_from_code(std::string_view code);

}  // namespace dflash
