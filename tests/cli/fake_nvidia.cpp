// A stand-in for libcuda.so.1 and libnccl.so.2, for tests of dflash doctor: two GPUs, or what FAKE_NVIDIA says.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr int kNoDevice = 100;  // CUDA_ERROR_NO_DEVICE

bool plays(const std::string& what) {
  const char* play = std::getenv("FAKE_NVIDIA");
  return play != nullptr && play == what;
}

__attribute__((constructor)) void greet() {
  if (plays("noise")) std::puts("fake library, at your service");
}

}  // namespace

// NOLINTBEGIN(readability-identifier-naming): the names are NVIDIA's.
extern "C" {

int cuInit(unsigned) {
  if (plays("crash")) std::abort();
  if (plays("exit")) std::exit(0);
  return plays("no device") ? kNoDevice : 0;
}

int cuDriverGetVersion(int* version) {
  *version = 12040;
  return 0;
}

int cuDeviceGetCount(int* count) {
  *count = 2;
  return 0;
}

int cuDeviceGet(int* device, int ordinal) {
  *device = 40 + ordinal;
  return 0;
}

int cuDeviceGetName(char* name, int size, int device) {
  const std::string text = device == 40 || device == 41 ? "Fake \033GPU" : "not asked for";
  if (static_cast<int>(text.size()) >= size) return 1;
  *std::copy(text.begin(), text.end(), name) = '\0';
  return 0;
}

int ncclGetVersion(int* version) {
  *version = 22809;
  return 0;
}
}
// NOLINTEND(readability-identifier-naming)
