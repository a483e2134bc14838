#include "common/data/prepare/row_chunk.h"

#include <algorithm>
#include <filesystem>

#include "common/data/prepare/row_preparer.h"

namespace dflash {
namespace {

constexpr size_t kChunkBytes = size_t{256} << 10;
constexpr size_t kChunkRows = 512;

/// 0 for anything else.
int64_t regular_file_bytes(const std::string& path) {
  std::error_code failed;
  if (!std::filesystem::is_regular_file(path, failed) || failed) return 0;
  const auto bytes = std::filesystem::file_size(path, failed);
  return failed ? 0 : static_cast<int64_t>(bytes);
}

}  // namespace

ChunkReader::ChunkReader(const std::vector<std::string>& files, const PrepareSettings& settings, InputPosition start)
    : files_(files), settings_(settings), at_(start) {
  for (size_t i = 0; i < std::min(at_.file, files.size()); ++i) bytes_before_ += regular_file_bytes(files[i]);
}

void ChunkReader::open_file(RowChunk& chunk) {
  const std::string& path = files_[at_.file];
  file_.emplace(path, settings_.shape);
  check_shape_fits(settings_, file_->shape(), path == "-" ? "standard input" : path);
  chunk.opened = file_->description();
}

/// False at the end of the file.
bool ChunkReader::add_row(RowChunk& chunk) {
  Line line;
  do {
    if (!file_->next(line)) return false;
  } while (line.number <= at_.line);
  chunk.rows.push_back({line.number, chunk.text.size(), line.text.size(), line.too_long, line.ended});
  chunk.text += line.text;
  return true;
}

bool ChunkReader::next(RowChunk& chunk) {
  chunk = {};
  if (at_.file >= files_.size()) return false;
  if (!file_) open_file(chunk);
  chunk.file = at_.file;
  chunk.shape = file_->shape();
  bool more = true;
  while (more && chunk.rows.size() < kChunkRows && chunk.text.size() < kChunkBytes) more = add_row(chunk);
  const int64_t size = regular_file_bytes(files_[at_.file]);
  if (more) {
    chunk.done_bytes = bytes_before_ + std::min(size, static_cast<int64_t>(file_->file_bytes()));
    return true;
  }
  bytes_before_ += size;
  chunk.done_bytes = bytes_before_;
  file_.reset();
  at_ = {at_.file + 1, 0};
  return true;
}

int64_t total_file_bytes(const std::vector<std::string>& files) {
  std::error_code failed;
  int64_t sum = 0;
  for (const std::string& path : files) {
    if (!std::filesystem::is_regular_file(path, failed)) return 0;
    sum += regular_file_bytes(path);
  }
  return sum;
}

}  // namespace dflash
