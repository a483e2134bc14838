#include "common/base/command_end.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>

#include "common/base/error.h"
#include "common/base/file.h"
#include "common/base/format.h"

namespace dflash {
namespace {

int say(const std::string& name, const std::string& line, ErrorKind kind) {
  std::fprintf(stderr, "%s: %s\n", name.c_str(), line.c_str());
  return exit_code(kind);
}

}  // namespace

int end_of_command(const std::string& name, const std::function<int()>& command) {
  try {
    return command();
  } catch (const Error& error) {
    return say(name, error.what(), error.kind());
  } catch (const std::filesystem::filesystem_error& error) {
    return say(name, format("{}: {}", error.path1().string(), error.code().message()), ErrorKind::input_file);
  } catch (const std::exception& error) {
    const std::string text = error.what();
    return say(name, "unexpected: " + text.substr(0, text.find('\n')), ErrorKind::internal);  // LibTorch adds a stack
  }
}

void require_all_printed() {
  errno = 0;
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good()) return;
  // The reason of an earlier call is gone: one more says it.
  if (errno == 0 && ::write(STDOUT_FILENO, "\n", 1) == 1) errno = EIO;
  throw_write_error(errno, "standard output did not take all that was to be printed");
}

}  // namespace dflash
