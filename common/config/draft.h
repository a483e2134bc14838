// RunConfig while it is being filled, and where each key that was set by hand stands.
#pragma once

#include <map>
#include <string>

#include "common/base/error.h"
#include "proto/run_config.pb.h"

namespace dflash {

struct ConfigDraft {
  RunConfig config;
  std::map<std::string, std::string> origin;  // "train.lr" -> "run.toml:7:3" or "--set train.lr=1"
};

/// A complaint about what stands at `place`.
[[nodiscard]] inline Error config_error(const std::string& place, const std::string& message) {
  return Error(ErrorKind::config, place + ": " + message);
}

}  // namespace dflash
