#include "deploy/cli/exec_program.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "common/base/error.h"
#include "common/base/format.h"

namespace dflash {

void exec_program(const std::vector<std::string>& arguments, const std::string& advice) {
  std::fflush(stdout);
  std::vector<char*> pointers;
  for (const std::string& argument : arguments) pointers.push_back(const_cast<char*>(argument.c_str()));
  pointers.push_back(nullptr);
  execvp(arguments.front().c_str(), pointers.data());
  throw Error(ErrorKind::config, format("cannot start {}: {}; {}", arguments.front(), std::strerror(errno), advice));
}

}  // namespace dflash
