// The descriptors of run_config.proto with its comments, made by protoc when the project is built: help and schema are
// one.
#pragma once

#include <string_view>

namespace dflash {

/// A serialized google.protobuf.FileDescriptorSet that holds one file.
[[nodiscard]] std::string_view run_config_descriptors();

}  // namespace dflash
