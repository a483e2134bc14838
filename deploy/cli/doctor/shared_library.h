// Libraries that a machine may have or not (CUDA, NCCL): looked for by the loader, asked by name, never linked.
#pragma once

#include <dlfcn.h>

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>

#include "common/base/json.h"

namespace dflash {

/// A loaded library; it stays for the life of the process.
class SharedLibrary {
 public:
  /// The first of the names that the loader finds.
  [[nodiscard]] static std::optional<SharedLibrary> open(std::initializer_list<const char*> names);

  /// The file, links resolved.
  [[nodiscard]] std::string path() const;

  static constexpr int kNoFunction = -1;
  /// Calls a C function that returns an int (or an enum of its size). kNoFunction when the library has none such.
  template <typename... Arguments>
  int call(const char* name, Arguments... arguments) const {
    auto* const function = reinterpret_cast<int (*)(Arguments...)>(dlsym(handle_, name));
    return function == nullptr ? kNoFunction : function(arguments...);
  }

 private:
  explicit SharedLibrary(void* handle) : handle_(handle) {}
  void* handle_;
};

/// What `ask` returns, asked in a child process with a deadline; {"failure": "ended by signal 11"} when it did not end
/// well. What the libraries print is dropped.
[[nodiscard]] Json ask_libraries(const std::function<Json()>& ask);

}  // namespace dflash
