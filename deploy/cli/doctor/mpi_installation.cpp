#include "deploy/cli/doctor/mpi_installation.h"

#include <unistd.h>

#include <filesystem>
#include <optional>
#include <sstream>

#include "common/base/format.h"
#include "common/mpi/mpi_env.h"
#include "deploy/cli/doctor/child_answer.h"
#include "deploy/cli/doctor/version_text.h"
#include "deploy/cli/exec_program.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInstall = "install the Debian package openmpi-bin";

/// The first program of this name in the folders of `path_variable`, as execvp finds it.
std::optional<std::string> find_program(const std::string& name, const std::string& path_variable) {
  std::istringstream folders(path_variable);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path program = (folder.empty() ? fs::path(".") : fs::path(folder)) / name;
    std::error_code error;
    if (fs::is_regular_file(program, error) && access(program.c_str(), X_OK) == 0) return program.string();
  }
  return std::nullopt;
}

}  // namespace

MpiFacts read_mpi_facts(const std::string& path_variable, std::chrono::milliseconds within) {
  MpiFacts facts{.library = mpi_library_version()};
  const std::optional<std::string> mpirun = find_program("mpirun", path_variable);
  if (!mpirun) return facts;
  facts.mpirun = *mpirun;
  const ChildAnswer answer = child_answer([&] { exec_program({*mpirun, "--version"}, kInstall); }, within);
  facts.says = first_line(answer.text);
  facts.failure = answer.failure;
  return facts;
}

Finding check_mpi_installation(const MpiFacts& facts) {
  const char* subject = "mpirun";
  if (facts.mpirun.empty()) return {Light::bad, subject, "there is none in PATH", kInstall};
  if (!facts.failure.empty()) {
    return {Light::bad, subject, format("{} --version: {} {}", facts.mpirun, facts.failure, facts.says),
            format("repair it, or {} and put it first in PATH", kInstall)};
  }
  const std::string version = version_in(facts.says), library = version_in(facts.library);
  if (facts.says.find("Open MPI") == std::string::npos || version.empty()) {
    return {Light::bad, subject, format("{} is not Open MPI's: it says '{}'", facts.mpirun, facts.says),
            "put Open MPI's mpirun first in PATH: ranks that another one starts do not find each other"};
  }
  if (major_of(version) != major_of(library)) {
    return {Light::bad, subject, format("Open MPI {} ({}), but the programs load {}", version, facts.mpirun, library),
            "put the mpirun of the same installation first in PATH"};
  }
  return {Light::good, subject, format("Open MPI {} ({}); the programs load {}", version, facts.mpirun, library)};
}

}  // namespace dflash
