// Errors and the exit codes they end a process with.
//
// Everything that is not the data path throws Error{kind, message}; one catch in each main turns the kind into the
// process exit code. A message is one line: what is wrong, where (file, line), what was expected, what to do.
#pragma once

#include <stdexcept>
#include <string>

namespace dflash {

/// The value is the process exit code. 0 is done; 143 is a run that a signal ended after it was saved (no error).
enum class ErrorKind : int {
  internal = 1,     ///< a broken promise of our own code, or of a peer that speaks our protocol
  config = 10,      ///< settings that cannot work
  input_file = 11,  ///< a file of the user's (model, data) that cannot be used
  checkpoint = 12,  ///< a checkpoint that cannot be read or written
  no_space = 13,    ///< the disk, or shared memory, is full
  peer_died = 14,   ///< another rank is gone
  stall = 15,       ///< a wait outlived its deadline
  not_finite = 16,  ///< NaN or infinity where training cannot go on
  stopped = 144,    ///< a signal ended the run, and nothing was saved for it
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  [[nodiscard]] ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

/// A run that SIGINT or SIGTERM ended, with a checkpoint.
constexpr int kExitStoppedAndSaved = 143;

/// The exit code of a process that ends with `kind`.
[[nodiscard]] constexpr int exit_code(ErrorKind kind) {
  return static_cast<int>(kind);
}

/// The kind whose exit code is `code`; internal for any other number (an error that came over the wire).
[[nodiscard]] ErrorKind error_kind_of(int code);

/// config, input_file, stall, ... as it stands in logs.
[[nodiscard]] const char* error_kind_name(ErrorKind kind);

}  // namespace dflash
