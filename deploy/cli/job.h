// A job: one mpirun, from its start to the end of its last process.
//
// mpirun's own way of ending a job is slow and says little: after a rank has died it waits twice
// odls_base_sigkill_timeout, and its exit code may be anything. So the ranks end themselves
// (common/mpi/worker_control.h), verdict.json says how, and what is left of mpirun is ended from here.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace dflash {

/// Runs the line and waits for its end; returns the exit code that verdict.json in `run_folder` says, or writes one
/// (a rank was killed before it could: 14). An older verdict.json is removed first.
///
/// SIGINT, SIGTERM and SIGHUP are handed to the ranks as SIGUSR1, which mpirun passes on at once: the coordinator saves
/// and stops. A second one, a second later, ends the job at once: exit code 144. If this process is killed, so are
/// mpirun and the ranks. Error{config} when mpirun cannot be started, or another run is live in the folder.
[[nodiscard]] int run_job(const std::vector<std::string>& mpirun_line, const std::filesystem::path& run_folder);

}  // namespace dflash
