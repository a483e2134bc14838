#include <zlib.h>

#include <algorithm>
#include <limits>

#include "common/base/error.h"
#include "common/base/format.h"
#include "common/data/rows/compressed_sources.h"

namespace dflash {
namespace {

constexpr int kGzipWindowBits = 16 + MAX_WBITS;  // zlib's way to say: a gzip header, not one of its own

class GzipSource final : public ByteSource {
 public:
  explicit GzipSource(std::unique_ptr<RawBytes> raw) : raw_(std::move(raw)) {
    if (inflateInit2(&stream_, kGzipWindowBits) != Z_OK) throw Error(ErrorKind::internal, "zlib cannot start");
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;
  ~GzipSource() override { inflateEnd(&stream_); }

  [[nodiscard]] uint64_t file_bytes() const override { return raw_->offset(); }

  size_t read(std::span<char> room) override {
    while (inside_member_ || start_member()) {
      if (const size_t count = inflate_some(room); count > 0) return count;
    }
    return 0;
  }

 private:
  /// False at the end of the file.
  bool start_member() {
    while (!raw_->ahead().empty() && raw_->ahead().front() == '\0') raw_->consume(1);
    const std::string_view magic = raw_->ahead(2);
    if (magic.empty()) return false;
    if (!magic.starts_with("\x1f\x8b")) throw_broken_data(*raw_, "gzip", "something else follows the compressed data");
    inflateReset(&stream_);
    return inside_member_ = true;
  }

  size_t inflate_some(std::span<char> room) {
    const std::string_view in = raw_->ahead();
    if (in.empty()) throw_cut_data(*raw_, "gzip");
    const auto most = static_cast<uInt>(std::min<size_t>(room.size(), std::numeric_limits<int>::max()));
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));  // zlib only reads there
    stream_.avail_in = static_cast<uInt>(in.size());
    stream_.next_out = reinterpret_cast<Bytef*>(room.data());
    stream_.avail_out = most;
    const int status = inflate(&stream_, Z_NO_FLUSH);
    raw_->consume(in.size() - stream_.avail_in);
    if (status == Z_STREAM_END) inside_member_ = false;
    if (status != Z_STREAM_END && status != Z_OK) {
      throw_broken_data(*raw_, "gzip", stream_.msg != nullptr ? stream_.msg : "no progress");
    }
    return most - stream_.avail_out;
  }

  std::unique_ptr<RawBytes> raw_;
  z_stream stream_{};
  bool inside_member_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> open_gzip(std::unique_ptr<RawBytes> raw) {
  return std::make_unique<GzipSource>(std::move(raw));
}

void throw_broken_data(const RawBytes& raw, const char* kind, const std::string& why) {
  throw Error(ErrorKind::input_file, format("{}: the {} data are broken before byte {}: {}; get the file again",
                                            raw.name(), kind, raw.offset(), why));
}

void throw_cut_data(const RawBytes& raw, const char* kind) {
  throw Error(ErrorKind::input_file, format("{}: the {} data are cut: the file ends at byte {} inside them; get the "
                                            "file again",
                                            raw.name(), kind, raw.offset()));
}

}  // namespace dflash
