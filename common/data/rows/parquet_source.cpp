#include "common/data/rows/parquet_source.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"
#include "common/base/one_line.h"
#include "common/base/scoped_descriptor.h"

namespace dflash {
namespace {

constexpr size_t kMostErrorBytes = 2000;

std::string reader_program(const std::string& path) {
  const auto program = program_folder() / "dflash-parquet";
  if (access(program.c_str(), X_OK) == 0) return program.string();
  throw Error(
      ErrorKind::input_file,
      format("{}: a Parquet file, and this build has no dflash-parquet: deploy/setup --parquet and build again, "
             "or convert it: duckdb -c \"COPY (FROM '{}') TO 'rows.jsonl'\"",
             path, path));
}

struct Pipe {
  Pipe() {
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw Error(ErrorKind::internal, format("no pipe can be made: {}", std::strerror(errno)));
    }
  }
  std::array<int, 2> ends{};
};

ssize_t read_pipe(int descriptor, std::span<char> room) {
  ssize_t count = 0;
  do {
    count = ::read(descriptor, room.data(), room.size());
  } while (count < 0 && errno == EINTR);
  return count;
}

class ParquetSource final : public ByteSource {
 public:
  explicit ParquetSource(const std::string& path) : path_(path), program_(reader_program(path)) { start(); }
  ParquetSource(const ParquetSource&) = delete;
  ParquetSource& operator=(const ParquetSource&) = delete;
  ~ParquetSource() override {
    if (child_ <= 0) return;
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }

  size_t read(std::span<char> room) override {
    if (child_ <= 0) return 0;
    const ssize_t count = read_pipe(rows_.get(), room);
    if (count <= 0) finish();
    return count > 0 ? static_cast<size_t>(count) : 0;
  }

 private:
  void start() {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, rows_in_.get(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, words_in_.get(), STDERR_FILENO);
    std::string program = program_, file = path_;
    std::array<char*, 3> arguments{program.data(), file.data(), nullptr};
    const int error = posix_spawn(&child_, program.c_str(), &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    const bool closed = rows_in_.close_well() && words_in_.close_well();
    if (error != 0 || !closed) {
      child_ = 0;
      throw Error(ErrorKind::internal, format("{} cannot be started: {}", program_, std::strerror(error)));
    }
  }

  /// The rows have ended: of the file, or of the program's patience with it.
  void finish() {
    std::array<char, kMostErrorBytes> words{};
    const ssize_t count = read_pipe(words_.get(), words);
    int status = 0;
    waitpid(child_, &status, 0);
    child_ = 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    std::string why(words.data(), count > 0 ? static_cast<size_t>(count) : 0);
    if (why.ends_with('\n')) why.pop_back();
    if (why.empty()) why = format("{} ended with status {}", program_, status);
    throw Error(ErrorKind::input_file, format("{}: the Parquet file cannot be read: {}", path_, one_line(why)));
  }

  std::string path_;
  std::string program_;
  Pipe rows_pipe_;
  ScopedDescriptor rows_{rows_pipe_.ends[0]}, rows_in_{rows_pipe_.ends[1]};
  Pipe words_pipe_;
  ScopedDescriptor words_{words_pipe_.ends[0]}, words_in_{words_pipe_.ends[1]};
  pid_t child_ = 0;
};

}  // namespace

std::unique_ptr<ByteSource> open_parquet(const std::string& path) {
  return std::make_unique<ParquetSource>(path);
}

}  // namespace dflash
