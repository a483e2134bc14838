#include "common/data/rows/byte_source.h"

#include <algorithm>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/data/rows/compressed_sources.h"
#include "common/data/rows/parquet_source.h"

namespace dflash {
namespace {

constexpr size_t kMagicBytes = 4;

class PlainSource final : public ByteSource {
 public:
  explicit PlainSource(std::unique_ptr<RawBytes> raw) : raw_(std::move(raw)) {}

  size_t read(std::span<char> room) override {
    const std::string_view bytes = raw_->ahead().substr(0, room.size());
    std::ranges::copy(bytes, room.begin());
    raw_->consume(bytes.size());
    return bytes.size();
  }
  [[nodiscard]] uint64_t file_bytes() const override { return raw_->offset(); }

 private:
  std::unique_ptr<RawBytes> raw_;
};

bool is_zstd(std::string_view magic) {
  const bool skippable = magic.size() == kMagicBytes && (magic[0] & 0xf0) == 0x50 && magic.substr(1) == "\x2a\x4d\x18";
  return magic == "\x28\xb5\x2f\xfd" || skippable;
}

void check_name(const std::string& name, std::string_view ending, const char* kind) {
  if (!name.ends_with(ending)) return;
  throw Error(
      ErrorKind::input_file,
      format("{}: named {}, but it does not begin like {} data; rename it, or get it again", name, ending, kind));
}

/// Its reader must jump about in the file.
std::unique_ptr<ByteSource> open_parquet_file(const std::string& path) {
  if (path != "-") return open_parquet(path);
  throw Error(ErrorKind::input_file, "standard input: Parquet cannot be read from there; name the file");
}

}  // namespace

std::unique_ptr<ByteSource> open_byte_source(const std::string& path) {
  auto raw = std::make_unique<RawBytes>(path);
  const std::string_view magic = raw->ahead(kMagicBytes).substr(0, kMagicBytes);
  if (magic.starts_with("\x1f\x8b")) return open_gzip(std::move(raw));
  if (is_zstd(magic)) return open_zstd(std::move(raw));
  if (magic == "PAR1") return open_parquet_file(path);
  check_name(path, ".gz", "gzip");
  check_name(path, ".zst", "zstd");
  check_name(path, ".parquet", "Parquet");
  return std::make_unique<PlainSource>(std::move(raw));
}

}  // namespace dflash
