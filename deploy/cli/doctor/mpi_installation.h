// MPI: the mpirun that dflash train would start, against the MPI library that the programs load.
#pragma once

#include <chrono>
#include <string>

#include "deploy/cli/doctor/finding.h"

namespace dflash {

struct MpiFacts {
  std::string mpirun = {};   // the file; empty: none in PATH
  std::string says = {};     // first line of mpirun --version
  std::string failure = {};  // why it said nothing
  std::string library = {};  // mpi_library_version()
};

/// `path_variable`: PATH. Runs mpirun --version, which may take as long as `within`.
[[nodiscard]] MpiFacts read_mpi_facts(const std::string& path_variable, std::chrono::milliseconds within);

/// Bad unless mpirun is Open MPI's, of the same major version as the library.
[[nodiscard]] Finding check_mpi_installation(const MpiFacts& facts);

}  // namespace dflash
