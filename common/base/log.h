// The process's log: lines to standard error and, once open, to the run's folder. The only user of spdlog is log.cpp.
//
// Levels: info says what was decided and done, once; warn says what a person should look at but the run survives;
// error is said once, by the catch in main. Threading: any thread, after init_log.
#pragma once

#include <filesystem>
#include <string>

namespace dflash {

/// Starts the log of this process. `name` ("target-1") stands in every line. Before this call lines are dropped.
void init_log(const std::string& name);

/// From now on every line also goes to `path` (appended), info and above; standard error keeps warn and above only.
void log_to_file(const std::filesystem::path& path);

void log_info(const std::string& line);
void log_warn(const std::string& line);
void log_error(const std::string& line);

/// Writes out what is buffered. Call before MPI_Abort and at the end of main.
void flush_log();

}  // namespace dflash
