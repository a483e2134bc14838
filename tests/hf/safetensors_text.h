// A safetensors file as the bytes of a header, right or wrong, and data.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace dflash {

[[nodiscard]] inline std::string with_length(uint64_t length, const std::string& rest) {
  std::string file(sizeof(length), '\0');
  std::memcpy(file.data(), &length, sizeof(length));
  return file + rest;
}

[[nodiscard]] inline std::string safetensors_text(const std::string& header, size_t data_bytes) {
  return with_length(header.size(), header + std::string(data_bytes, 'd'));
}

}  // namespace dflash
