// The coordinator's half of the start of a run (the workers': common/mpi/handshake.h). A rank that runs another build,
// understood the settings differently, would lay out a batch in another way or read other data is refused by name
// before the first batch.
#pragma once

#include "common/mpi/handshake.h"
#include "coordinator/crew.h"

namespace dflash {

/// Takes every worker's Hello, refuses another build, then answers all with the settings: nobody loads a model before
/// all have been found fit. Error{config}, {stall} naming who said nothing, {stopped} when a signal comes.
void welcome_workers(Crew& crew, const Welcome& welcome, Deadline deadline);
/// Compares every worker's Ready with the own hashes; Error{config} names rank, which hash, and both values.
void await_ready(Crew& crew, const AgreedHashes& expected, Deadline deadline);
/// Tells all workers to begin.
void start_workers(Crew& crew, const Start& start);

}  // namespace dflash
