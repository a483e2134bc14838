#include "common/data/prepared/shard_writer.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"
#include "common/data/prepared/mask_bits.h"

namespace dflash {
namespace {

constexpr size_t kBufferBytes = size_t{4} << 20;

}  // namespace

ShardWriter::ShardWriter(const std::filesystem::path& path)
    : path_(path),
      temporary_(temporary_name(path)),
      file_(open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
  if (file_.get() < 0) throw_write_error(errno, format("cannot create {}", temporary_.string()));
  // Room for the header, which is known last; zeros are no header.
  buffer_.resize(sizeof(ShardHeader));
}

ShardWriter::~ShardWriter() {
  if (!committed_) unlink(temporary_.c_str());
}

void ShardWriter::add(std::span<const int32_t> ids, std::span<const uint8_t> mask) {
  if (ids.empty() || ids.size() != mask.size()) {
    throw Error(ErrorKind::internal, "a document needs tokens, and one mask value for each");
  }
  const auto [least, greatest] = std::ranges::minmax(ids);
  if (least < 0) throw Error(ErrorKind::internal, format("token id {} is negative", least));
  append(std::as_bytes(ids));
  facts_.supervised_tokens += append_mask(mask, offsets_.back(), mask_bits_);
  offsets_.push_back(offsets_.back() + ids.size());
  const auto length = static_cast<int64_t>(ids.size());
  ++facts_.documents;
  facts_.tokens += length;
  facts_.longest_document = std::max(facts_.longest_document, length);
  facts_.max_id = std::max<int64_t>(facts_.max_id, greatest);
}

ShardFacts ShardWriter::commit() {
  const ShardParts parts = shard_parts(facts_.documents, facts_.tokens);
  append_zeros(parts.mask);
  append(std::as_bytes(std::span(mask_bits_)));
  append_zeros(parts.offsets);
  append(std::as_bytes(std::span(offsets_)));
  flush();
  facts_.content_hash = hasher_.value();
  const ShardHeader header = make_shard_header(facts_);
  if (lseek(file_.get(), 0, SEEK_SET) != 0) throw_write_error(errno, format("cannot write {}", temporary_.string()));
  write_all(file_.get(), std::as_bytes(std::span(&header, 1)), temporary_);
  if (fsync(file_.get()) != 0 || !file_.close_well()) {
    throw_write_error(errno, format("cannot flush {}", temporary_.string()));
  }
  if (rename(temporary_.c_str(), path_.c_str()) != 0) {
    throw_write_error(errno, format("cannot rename to {}", path_.string()));
  }
  committed_ = true;
  sync_folder(path_.parent_path());
  return facts_;
}

void ShardWriter::append(std::span<const std::byte> bytes) {
  hasher_.add(bytes);
  buffer_.insert(buffer_.end(), bytes.begin(), bytes.end());
  appended_bytes_ += bytes.size();
  if (buffer_.size() >= kBufferBytes) flush();
}

void ShardWriter::append_zeros(uint64_t end) {
  constexpr std::array<std::byte, 8> kZeros{};
  append(std::span(kZeros).first(end - appended_bytes_));
}

void ShardWriter::flush() {
  write_all(file_.get(), buffer_, temporary_);
  buffer_.clear();
}

}  // namespace dflash
