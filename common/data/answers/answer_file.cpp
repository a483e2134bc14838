#include "common/data/answers/answer_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"

namespace dflash {
namespace {

ScopedDescriptor open_file(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (descriptor < 0) throw_write_error(errno, format("cannot open {}", path.string()));
  return ScopedDescriptor(descriptor);
}

std::filesystem::path settings_path_of(const std::filesystem::path& path) {
  return path.string() + ".settings.json";
}

/// Settings are said to the user by their names, each with both values.
void check_same(const Json& before, const Json& now, const std::filesystem::path& path) {
  for (const auto& [name, value] : now.items()) {
    const Json old = before.is_object() ? before.value(name, Json()) : Json();
    if (old == value) continue;
    throw Error(ErrorKind::config,
                format("{} was begun with another {}: {}, now {}; go on as it was begun, or name another output",
                       path.string(), name, old.dump(), value.dump()));
  }
}

/// The number of the row that a whole line is of.
int64_t row_of(std::string_view line, const std::filesystem::path& path) {
  Json row;
  try {
    row = parse_json(line, path.string());
  } catch (const Error&) {
    row = nullptr;
  }
  constexpr uint64_t kMostRows = uint64_t{1} << 62;
  if (!row.is_object() || !row.contains("row") || !row["row"].is_number_unsigned() ||
      row["row"].get<uint64_t>() > kMostRows) {
    throw Error(ErrorKind::input_file,
                format("{}: its last line is no row of answers with `row`, so it is not known where to go on; name "
                       "another output",
                       path.string()));
  }
  return row["row"].get<int64_t>();
}

}  // namespace

AnswerFile::AnswerFile(std::filesystem::path path, const Json& settings)
    : path_(std::move(path)), file_(open_file(path_)) {
  // The lock first: its size counts only once the process that wrote it is done.
  const bool in_use = flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  struct stat info{};
  if (fstat(file_.get(), &info) != 0) throw_write_error(errno, format("cannot look at {}", path_.string()));
  if (!S_ISREG(info.st_mode)) return;
  if (in_use) {
    throw Error(ErrorKind::config, format("{}: another process writes its answers there; wait for its end, or name "
                                          "another output",
                                          path_.string()));
  }
  const std::filesystem::path settings_path = settings_path_of(path_);
  if (info.st_size == 0) {
    write_file_atomic(settings_path, settings.dump(1) + "\n");
    return;
  }
  if (!std::filesystem::exists(settings_path)) {
    throw Error(ErrorKind::config,
                format("{} is there already, and {} is not, so it is not known what it was made with; name another "
                       "output",
                       path_.string(), settings_path.filename().string()));
  }
  check_same(read_json_file(settings_path), settings, path_);
  go_on();
}

/// Finds the last whole line; what stands behind it was half written.
void AnswerFile::go_on() {
  size_t end = 0;
  {
    const MappedFile written(path_);
    const std::string_view text = written.text();
    end = text.rfind('\n') + 1;  // 0 when there is no whole line
    if (end > 0) {
      const size_t before = end < 2 ? std::string_view::npos : text.rfind('\n', end - 2);
      const size_t first = before == std::string_view::npos ? 0 : before + 1;
      next_row_ = row_of(text.substr(first, end - 1 - first), path_) + 1;
      lines_before_ = std::ranges::count(text.substr(0, end), '\n');
    }
  }
  if (ftruncate(file_.get(), static_cast<off_t>(end)) != 0) {
    throw_write_error(errno, format("cannot cut the half-written line of {}", path_.string()));
  }
}

void AnswerFile::put(int64_t row, std::string line) {
  if (row < next_row_ || !waiting_.emplace(row, std::move(line)).second) {
    throw Error(ErrorKind::internal, format("row {} of the answers is done twice", row));
  }
  for (auto first = waiting_.begin(); first != waiting_.end() && first->first == next_row_;
       first = waiting_.erase(first), ++next_row_) {
    if (first->second.empty()) continue;
    first->second += '\n';
    write_all(file_.get(), std::as_bytes(std::span(first->second)), path_);
  }
}

void AnswerFile::flush() {
  if (fsync(file_.get()) != 0 && errno != EINVAL && errno != EROFS) {  // those: nothing that could be flushed
    throw_write_error(errno, format("cannot flush {}", path_.string()));
  }
}

}  // namespace dflash
