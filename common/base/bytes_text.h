// Numbers of bytes for a person: "12.5 MiB".
#pragma once

#include <cstdint>
#include <string>

namespace dflash {

[[nodiscard]] std::string bytes_text(int64_t bytes);

}  // namespace dflash
