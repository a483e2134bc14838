#include "deploy/cli/exec_program.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {

void exec_program(const std::vector<std::string>& arguments, const std::string& advice) {
  std::vector<char*> pointers;
  pointers.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  std::fflush(stdout);
  execvp(pointers.front(), pointers.data());
  throw Error(ErrorKind::config, format("cannot start {}: {}; {}", arguments.front(), std::strerror(errno), advice));
}

}  // namespace dflash
