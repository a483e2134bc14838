// A CUDA runtime that is simulated: the functions that the cuda back-end calls, on the threads of a sim device. Linked
// into a test it stands for libcudart, so that the back-end itself is tested where there is no GPU.
//
// It is as asynchronous as the sim device. Each GPU has one compute engine, so what blocks a stream blocks its GPU, and
// events are not waited for across GPUs. It knows what CUDA promises, not what a GPU does.
#pragma once

#include <cstddef>
#include <string>

namespace dflash::fake_cuda {

/// The next call of this function ("cudaMalloc") answers `code`; once.
void fail_next(const std::string& function, int code);
/// As after an illegal address: every call that can answers `code`, until 0 is set.
void break_device(int code);
/// How many GPUs there seem to be, or the code the question is answered with.
void set_devices(int count, int code = 0);

[[nodiscard]] size_t events_made();
[[nodiscard]] size_t streams_alive();

}  // namespace dflash::fake_cuda
