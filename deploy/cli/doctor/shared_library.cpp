#include "deploy/cli/doctor/shared_library.h"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "common/base/format.h"
#include "deploy/cli/doctor/child_answer.h"

namespace dflash {
namespace {

constexpr std::chrono::seconds kAnswersWithin{30};  // a driver without persistence mode takes seconds to start each GPU

/// Libraries may print: their stdout leads nowhere from here on, only the answer goes to the reader.
void write_answer(const std::function<Json()>& ask) {
  FILE* const answer = fdopen(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0), "w");
  dup2(STDERR_FILENO, STDOUT_FILENO);
  std::fputs(ask().dump(-1, ' ', true, Json::error_handler_t::replace).c_str(), answer);
  std::fclose(answer);
}

}  // namespace

std::optional<SharedLibrary> SharedLibrary::open(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (void* const handle = dlopen(name, RTLD_NOW | RTLD_LOCAL)) return SharedLibrary(handle);
  }
  return std::nullopt;
}

std::string SharedLibrary::path() const {
  link_map* map = nullptr;
  if (dlinfo(handle_, RTLD_DI_LINKMAP, static_cast<void*>(&map)) != 0) return "an unknown file";
  std::error_code error;
  const std::filesystem::path file = std::filesystem::canonical(map->l_name, error);
  return error ? map->l_name : file.string();
}

Json ask_libraries(const std::function<Json()>& ask) {
  const ChildAnswer answer = child_answer([&ask] { write_answer(ask); }, kAnswersWithin);
  if (!answer.failure.empty()) return {{"failure", answer.failure}};
  if (answer.text.empty()) return {{"failure", "ended without an answer"}};
  return parse_json(answer.text, "the answer of a library");
}

}  // namespace dflash
