#include "deploy/cli/doctor/gpu.h"

#include <array>
#include <fstream>
#include <map>

#include "common/base/format.h"
#include "common/base/one_line.h"
#include "deploy/cli/doctor/shared_library.h"
#include "deploy/cli/doctor/version_text.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUnused = "run.device = cpu computes on the CPU";

std::string first_word(const fs::path& file) {
  std::string word;
  std::ifstream(file) >> word;
  return word;
}

/// /dev/nvidia0, or on the PCI bus a display controller (class 0x03) of NVIDIA's.
bool has_device(const fs::path& root) {
  std::error_code error;
  if (fs::exists(root / "dev/nvidia0", error)) return true;
  for (const auto& entry : fs::directory_iterator(root / "sys/bus/pci/devices", error)) {
    if (first_word(entry.path() / "vendor") == "0x10de" && first_word(entry.path() / "class").starts_with("0x03")) {
      return true;
    }
  }
  return false;
}

std::string kernel_module_version(const fs::path& root) {
  std::ifstream file(root / "proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);  // NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  ...
  return version_in(line);
}

Json device_names(const SharedLibrary& driver) {
  Json names = Json::array();
  int count = 0;
  if (driver.call("cuDeviceGetCount", &count) != 0) return names;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    int device = 0;
    std::array<char, 128> name{};
    if (driver.call("cuDeviceGet", &device, ordinal) != 0) continue;
    if (driver.call("cuDeviceGetName", name.data(), static_cast<int>(name.size()) - 1, device) != 0) continue;
    names.push_back(one_line(name.data()));
  }
  return names;
}

Json ask_cuda() {
  Json answer = Json::object();
  int version = 0;
  if (const auto runtime = SharedLibrary::open({"libcudart.so.13", "libcudart.so.12"})) {
    answer["runtime_library"] = runtime->path();
    if (runtime->call("cudaRuntimeGetVersion", &version) == 0) answer["runtime_cuda"] = version;
  }
  if (const auto driver = SharedLibrary::open({"libcuda.so.1"})) {
    answer["driver_library"] = driver->path();
    if (driver->call("cuDriverGetVersion", &version) == 0) answer["driver_cuda"] = version;
    answer["init_error"] = driver->call("cuInit", 0U);
    if (answer["init_error"] == 0) answer["names"] = device_names(*driver);
  }
  return answer;
}

std::string cuda_text(int version) {
  return format("{}.{}", version / 1000, version % 1000 / 10);
}

/// "2 x NVIDIA H200"
std::string counted_names(const std::vector<std::string>& names) {
  std::map<std::string, int> counts;
  for (const std::string& name : names) ++counts[name];
  std::string text;
  for (const auto& [name, count] : counts) text += format("{}{} x {}", text.empty() ? "" : ", ", count, name);
  return text;
}

Finding check_device(const GpuFacts& facts, bool built_with_cuda) {
  if (!facts.names.empty() && built_with_cuda) {
    return {Light::good, "GPU", counted_names(facts.names) + "; used with run.device = cuda"};
  }
  if (!facts.names.empty()) {
    return {Light::note, "GPU", counted_names(facts.names) + "; not used: this build has no CUDA",
            "to use it: deploy/setup --cuda, then build again"};
  }
  if (facts.device) return {Light::good, "GPU", "the kernel sees an NVIDIA GPU, but CUDA cannot use it"};
  return {Light::good, "GPU", format("no NVIDIA GPU; not needed: {}", kUnused)};
}

Finding check_driver(const GpuFacts& facts) {
  const Light trouble = facts.device ? Light::bad : Light::note;
  const char* subject = "CUDA driver";
  if (!facts.failure.empty()) {
    return {trouble, subject, "asked for the GPUs: " + facts.failure,
            "run nvidia-smi; if it hangs or fails too, reboot or install the driver anew"};
  }
  if (facts.driver_library.empty()) {
    if (!facts.device) return {Light::good, subject, "none (no libcuda.so.1); not needed without a GPU"};
    return {Light::bad, subject, "there is a GPU, but libcuda.so.1 cannot be loaded",
            "install NVIDIA's driver; a container needs the NVIDIA container toolkit and --gpus all"};
  }
  if (facts.init_error != 0 && !facts.device) {
    return {Light::note, subject, format("{}, but no GPU (cuInit: error {})", facts.driver_library, facts.init_error),
            "if there should be a GPU: a container needs --gpus all"};
  }
  if (facts.init_error != 0) {
    return {Light::bad, subject, format("{} does not start: cuInit: error {}", facts.driver_library, facts.init_error),
            "run nvidia-smi: library and kernel module must be of one version, and the device free of errors"};
  }
  return {Light::good, subject,
          format("{}{}for CUDA up to {} ({})", facts.kernel_module, facts.kernel_module.empty() ? "" : ", ",
                 cuda_text(facts.driver_cuda), facts.driver_library)};
}

Finding check_runtime(const GpuFacts& facts) {
  const char* subject = "CUDA runtime";
  if (!facts.failure.empty()) return {Light::note, subject, "not known: " + facts.failure};
  if (facts.runtime_library.empty()) {
    return {Light::good, subject, format("the loader finds no libcudart.so.13 or .12; not used: {}", kUnused)};
  }
  const std::string found = format("{} ({})", cuda_text(facts.runtime_cuda), facts.runtime_library);
  if (facts.driver_cuda == 0 || facts.runtime_cuda / 1000 <= facts.driver_cuda / 1000) {
    return {Light::good, subject, found};
  }
  return {Light::note, subject, format("{}, newer than the driver's {}", found, cuda_text(facts.driver_cuda)),
          "GPU programs of that runtime need a newer driver"};
}

}  // namespace

GpuFacts read_gpu_facts(const fs::path& root) {
  const Json answer = ask_libraries(ask_cuda);
  return {.device = has_device(root),
          .kernel_module = kernel_module_version(root),
          .driver_library = answer.value("driver_library", ""),
          .init_error = answer.value("init_error", 0),
          .driver_cuda = answer.value("driver_cuda", 0),
          .names = answer.value("names", std::vector<std::string>{}),
          .runtime_library = answer.value("runtime_library", ""),
          .runtime_cuda = answer.value("runtime_cuda", 0),
          .failure = answer.value("failure", "")};
}

Findings check_gpu(const GpuFacts& facts, bool built_with_cuda) {
  return {check_device(facts, built_with_cuda), check_driver(facts), check_runtime(facts)};
}

}  // namespace dflash
