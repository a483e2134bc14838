#include "common/base/bytes_text.h"

#include "common/base/format.h"

namespace dflash {

std::string bytes_text(int64_t bytes) {
  const auto value = static_cast<double>(bytes);
  if (bytes < int64_t{1} << 20) return format("{:.1f} KiB", value / (int64_t{1} << 10));
  if (bytes < int64_t{1} << 30) return format("{:.1f} MiB", value / (int64_t{1} << 20));
  if (bytes < int64_t{1} << 40) return format("{:.1f} GiB", value / (int64_t{1} << 30));
  return format("{:.1f} TiB", value / (int64_t{1} << 40));
}

}  // namespace dflash
