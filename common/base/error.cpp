#include "common/base/error.h"

namespace dflash {

const char* error_kind_name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::internal:
      return "internal";
    case ErrorKind::config:
      return "config";
    case ErrorKind::input_file:
      return "input_file";
    case ErrorKind::checkpoint:
      return "checkpoint";
    case ErrorKind::no_space:
      return "no_space";
    case ErrorKind::peer_died:
      return "peer_died";
    case ErrorKind::stall:
      return "stall";
    case ErrorKind::not_finite:
      return "not_finite";
    case ErrorKind::stopped:
      return "stopped";
  }
  return "internal";
}

ErrorKind error_kind_of(int code) {
  const auto kind = static_cast<ErrorKind>(code);
  switch (kind) {
    case ErrorKind::internal:
    case ErrorKind::config:
    case ErrorKind::input_file:
    case ErrorKind::checkpoint:
    case ErrorKind::no_space:
    case ErrorKind::peer_died:
    case ErrorKind::stall:
    case ErrorKind::not_finite:
    case ErrorKind::stopped:
      return kind;
  }
  return ErrorKind::internal;
}

}  // namespace dflash
