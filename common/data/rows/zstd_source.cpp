#include <zstd.h>

#include "common/base/error.h"
#include "common/data/rows/compressed_sources.h"

namespace dflash {
namespace {

class ZstdSource final : public ByteSource {
 public:
  explicit ZstdSource(std::unique_ptr<RawBytes> raw) : raw_(std::move(raw)), stream_(ZSTD_createDStream()) {
    if (stream_ == nullptr) throw Error(ErrorKind::internal, "zstd cannot start");
  }

  [[nodiscard]] uint64_t file_bytes() const override { return raw_->offset(); }

  size_t read(std::span<char> room) override {
    while (true) {
      const std::string_view bytes = raw_->ahead();
      if (bytes.empty() && !inside_frame_) return 0;
      ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
      ZSTD_outBuffer out{room.data(), room.size(), 0};
      const size_t status = ZSTD_decompressStream(stream_.get(), &out, &in);
      raw_->consume(in.pos);
      if (ZSTD_isError(status) != 0) throw_broken_data(*raw_, "zstd", ZSTD_getErrorName(status));
      inside_frame_ = status != 0;
      if (out.pos > 0) return out.pos;
      if (bytes.empty()) throw_cut_data(*raw_, "zstd");
    }
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };

  std::unique_ptr<RawBytes> raw_;
  std::unique_ptr<ZSTD_DStream, Free> stream_;
  bool inside_frame_ = false;
};

}  // namespace

std::unique_ptr<ByteSource> open_zstd(std::unique_ptr<RawBytes> raw) {
  return std::make_unique<ZstdSource>(std::move(raw));
}

}  // namespace dflash
