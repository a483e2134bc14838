// A target that runs alone, without MPI and drafters: it records its batches into a folder.
//
// What it computes and how is that of a run; only the ends are others: a RecordingSender, and a LeaseGiver for the
// coordinator. States are recorded packed and without noise: whoever trains on them adds it.
#pragma once

namespace dflash {

/// The whole program. Returns its exit code: 0 when all is recorded, 143 after a signal (what is recorded stays, and
/// can be trained from), else that of the error, which is logged.
[[nodiscard]] int record_alone(int argc, char** argv);

}  // namespace dflash
