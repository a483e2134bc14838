// The file channel: a sender that records every frame into a folder, and a receiver that reads them back from it.
//
// The receiver says which folder; the sender makes it. Bytes travel through its files (recording.h, frame i is batch
// i), and through memory goes only the word that a file is there: a ticket for each frame, on a shm channel of its own.
// Credit, deadlines, ends and deaths are the tickets'. When the stream has ended the folder is a complete recording.
//
// A frame is never in memory between its two ends, so nothing can happen to it there: its header and checksum are those
// of its file, always on, and a file that is not what was written is Error{input_file}. One node, because of the
// tickets. A role that runs alone has no use for them: recording_ends.h.
#pragma once

#include <filesystem>
#include <memory>

#include "common/base/bootstrap.h"
#include "common/channel/channel.h"

namespace dflash {

/// Both ends must be called, each with a Bootstrap to the other, in any order. `folder` must be new or empty; Error
/// {config} when it is not, when the peer is on another node or differs, {no_space}, {stall}.
[[nodiscard]] std::unique_ptr<Receiver> make_file_receiver(const ChannelShape& shape, Bootstrap& bootstrap,
                                                           Deadline deadline, const std::filesystem::path& folder);
[[nodiscard]] std::unique_ptr<Sender> make_file_sender(const ChannelShape& shape, Bootstrap& bootstrap,
                                                       Deadline deadline);

}  // namespace dflash
