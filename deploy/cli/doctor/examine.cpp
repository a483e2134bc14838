#include "deploy/cli/doctor/examine.h"

#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "common/base/file.h"
#include "common/channel/memory_room.h"
#include "common/device/cuda_devices.h"
#include "common/nccl/nccl_built.h"
#include "common/plan/control_groups.h"
#include "common/plan/queue_plan.h"
#include "deploy/cli/doctor/choices.h"
#include "deploy/cli/doctor/cpu.h"
#include "deploy/cli/doctor/disk.h"
#include "deploy/cli/doctor/gpu.h"
#include "deploy/cli/doctor/kernel.h"
#include "deploy/cli/doctor/limits.h"
#include "deploy/cli/doctor/memory.h"
#include "deploy/cli/doctor/mpi_installation.h"
#include "deploy/cli/doctor/nccl.h"
#include "deploy/cli/doctor/programs.h"

namespace dflash {
namespace {

constexpr std::chrono::seconds kMpirunAnswersWithin{10};

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

rlimit limit_of(decltype(RLIMIT_NOFILE) resource) {
  rlimit limit{RLIM_INFINITY, RLIM_INFINITY};
  getrlimit(resource, &limit);
  return limit;
}

Findings examine_cpu(const MachineFacts& machine) {
  double load = 0;
  const bool known = getloadavg(&load, 1) == 1;
  Findings findings = {check_kernel(kernel_name(), deaths_are_seen()),
                       check_cores(machine.cores, cpu_quota_cores(own_control_groups()))};
  if (known) findings.push_back(check_load(load, machine.cores));
  findings.push_back(check_vector_instructions(text_of("/proc/cpuinfo")));
  return findings;
}

Findings examine_memory(const MachineFacts& machine, int ranks) {
  const auto available_bytes = static_cast<int64_t>(std::min<uint64_t>(available_memory_bytes(), INT64_MAX));
  const int64_t queue_bytes = plan_queue_bytes(PipelineSection(), /*drafters=*/1, machine.memory_bytes);
  return {check_memory(machine.memory_bytes, available_bytes, queue_bytes), check_channel_memory(try_channel_memory()),
          check_shared_folder(read_shared_folder("/dev/shm"), ranks),
          check_locked_memory(limit_of(RLIMIT_MEMLOCK), has_infiniband("/sys/class/infiniband")),
          check_open_files(limit_of(RLIMIT_NOFILE), ranks)};
}

Findings examine_software(const DoctorRequest& request, const GpuFacts& gpus) {
  const char* path = std::getenv("PATH");
  Findings findings = {check_disk(read_disk_facts(request.dir)), look_for_programs(program_folder()),
                       check_mpi_installation(read_mpi_facts(path == nullptr ? "" : path, kMpirunAnswersWithin))};
  for (Finding& finding : check_gpu(gpus, built_with_cuda())) findings.push_back(std::move(finding));
  findings.push_back(check_nccl(read_nccl_facts(), built_nccl_version()));
  return findings;
}

}  // namespace

Findings examine(const DoctorRequest& request) {
  const MachineFacts machine = read_machine_facts();
  const int ranks = 1 + request.targets + request.drafters;
  const GpuFacts gpus = read_gpu_facts("/");
  Findings findings;
  for (const Findings& part :
       {examine_cpu(machine), examine_memory(machine, ranks), examine_software(request, gpus),
        check_choices(request.targets, request.drafters, machine, gpus.names.size(), built_with_cuda())}) {
    findings.insert(findings.end(), part.begin(), part.end());
  }
  return findings;
}

}  // namespace dflash
