#include "deploy/cli/doctor/kernel.h"

#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "common/base/deadline.h"
#include "common/base/format.h"
#include "common/base/process.h"

namespace dflash {

using namespace std::chrono_literals;

std::string kernel_name() {
  utsname name{};
  uname(&name);
  return format("{} {}", name.sysname, name.release);
}

bool deaths_are_seen() {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  if (child < 0) return false;
  const ProcessWatch watch(child);  // not waited for yet, so its number is still its own
  const Deadline deadline = Deadline::after(2s);
  while (!watch.ended() && !deadline.expired()) std::this_thread::sleep_for(1ms);
  const bool seen = watch.ended();
  waitpid(child, nullptr, 0);
  return seen;
}

Finding check_kernel(const std::string& name, bool deaths_seen) {
  if (deaths_seen) return {Light::good, "kernel", name + "; a rank that dies is seen at once"};
  return {Light::note, "kernel", name + "; a rank that dies is noticed late (pidfd_open does not work)",
          "use Linux 5.3 or newer; in a container, a seccomp profile that allows pidfd_open"};
}

}  // namespace dflash
