// Recording: what recording.json says of a recorded folder. A recorded folder holds the batches of a run:
//
//   recording.json               written when recording begins, and once more when it ends: then "complete" is true
//   batch-000000000012.bin       batch 12: a FrameHeader (frame_header.h, its index is 12), then the stored payload
//
// A batch's file appears by one rename, so there is either a whole batch or none, however the recorder ends; of one
// that was killed every batch up to the last can be read. (After a power cut the last files may be empty: the checksums
// tell.) The payload checksum is always there. What a payload means, and what it was made with, is not known here:
// `made_with` is carried for whoever knows.
//
// Everything read is distrusted. Errors: Error{input_file} naming the file and the key.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "common/base/json.h"

namespace dflash {

struct Recording {
  uint64_t layout_hash = 0;
  uint64_t slot_bytes = 0;          // of a batch in memory
  uint64_t stored_bytes = 0;        // of its payload in a file
  std::string storage = "as-is";    // how the one becomes the other
  int64_t first_sequence = 0;       // batches are numbered from here, without a gap
  Json made_with = Json::object();  // what a replay must agree on
  // Known when it ends.
  bool complete = false;
  int64_t batches = 0;
  Json measured = Json::object();  // what the storage cost in exactness
};

constexpr const char* kRecordingName = "recording.json";
[[nodiscard]] std::filesystem::path batch_path(const std::filesystem::path& folder, int64_t sequence);

void write_recording(const std::filesystem::path& folder, const Recording& recording);
[[nodiscard]] Recording read_recording(const std::filesystem::path& folder);

}  // namespace dflash
