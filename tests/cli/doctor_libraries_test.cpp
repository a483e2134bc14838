// dflash doctor and other people's programs and libraries: drivers, NCCL, mpirun; and the child that asks them.
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

#include "deploy/cli/doctor/child_answer.h"
#include "deploy/cli/doctor/gpu.h"
#include "deploy/cli/doctor/mpi_installation.h"
#include "deploy/cli/doctor/nccl.h"
#include "deploy/cli/doctor/shared_library.h"
#include "tests/cli/findings.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

TEST(ChildAnswer, TextAndHowItEnded) {
  const ChildAnswer well = child_answer([] { std::fputs("yes\n", stdout); }, 10s);
  EXPECT_EQ(well.text, "yes\n");
  EXPECT_EQ(well.failure, "");
  EXPECT_EQ(child_answer([] { _exit(7); }, 10s).failure, "exit code 7");
  EXPECT_EQ(child_answer([] { raise(SIGKILL); }, 10s).failure, "ended by signal 9");
  const ChildAnswer thrown = child_answer([] { throw std::runtime_error("why"); }, 10s);
  EXPECT_EQ(thrown.text, "why");
  EXPECT_EQ(thrown.failure, "exit code 1");
}

TEST(ChildAnswer, OneThatHangsIsKilledWithWhatItStarted) {
  const ChildAnswer answer = child_answer(
      [] {
        const pid_t grandchild = fork();
        if (grandchild == 0) sleep(60);
        std::printf("%d\n", grandchild);
        std::fflush(stdout);
        sleep(60);
      },
      300ms);
  EXPECT_EQ(answer.failure, "no answer within 0.3 s");
  const pid_t grandchild = std::stoi(answer.text);
  ASSERT_GT(grandchild, 1);
  char state = 'R';  // killed: gone, or a zombie that nobody waits for
  for (int look = 0; look < 500 && kill(grandchild, 0) == 0 && state != 'Z'; ++look) {
    usleep(10'000);
    std::ifstream file("/proc/" + std::to_string(grandchild) + "/stat");
    std::string pid, name;
    file >> pid >> name >> state;
  }
  EXPECT_TRUE(kill(grandchild, 0) != 0 || state == 'Z');
}

TEST(ChildAnswer, OneThatTalksWithoutEndIsCutOff) {
  const ChildAnswer answer = child_answer(
      [] {
        while (std::puts("more") >= 0) continue;
      },
      10s);
  EXPECT_LT(answer.text.size(), 100'000u);
  EXPECT_EQ(answer.failure, "ended by signal 13");
}

TEST(SharedLibrary, FoundByNameAndAsked) {
  const auto library = SharedLibrary::open({"libdflash-nowhere.so.1", "libc.so.6"});
  ASSERT_TRUE(library);
  EXPECT_EQ(library->call("abs", -3), 3);
  EXPECT_EQ(library->call("dflash_nothing", -3), SharedLibrary::kNoFunction);
  EXPECT_TRUE(fs::path(library->path()).is_absolute() && fs::exists(library->path())) << library->path();
  EXPECT_FALSE(SharedLibrary::open({"libdflash-nowhere.so.1"}));
}

TEST(SharedLibrary, ACrashIsAnAnswer) {
  EXPECT_EQ(ask_libraries([] { return Json{{"a", 1}}; }).value("a", 0), 1);
  EXPECT_EQ(ask_libraries([]() -> Json { std::abort(); }).value("failure", ""), "ended by signal 6");
  EXPECT_EQ(ask_libraries([]() -> Json { std::exit(0); }).value("failure", ""), "ended without an answer");
  const auto noisy = [] {
    std::puts("a library says hello");
    return Json{{"a", 2}};
  };
  EXPECT_EQ(ask_libraries(noisy).value("a", 0), 2);
}

TEST(DoctorGpu, NothingThereIsFine) {
  for (const Finding& finding : check_gpu({}, true)) EXPECT_EQ(finding.light, Light::good) << finding.found;
}

TEST(DoctorGpu, ADeviceWithoutAWorkingDriverIsBad) {
  const auto driver = [](const GpuFacts& facts) { return finding_of(check_gpu(facts, true), "CUDA driver"); };
  expect_finding(driver({.device = true}), Light::bad, "cannot be loaded", "--gpus all");
  expect_finding(driver({.device = true, .driver_library = "/l", .init_error = 803}), Light::bad, "error 803",
                 "nvidia-smi");
  expect_finding(driver({.driver_library = "/l", .init_error = 100}), Light::note, "no GPU (cuInit: error 100)",
                 "--gpus all");
  expect_finding(driver({.device = true, .failure = "ended by signal 11"}), Light::bad, "signal 11", "nvidia-smi");
  expect_finding(driver({.failure = "ended by signal 11"}), Light::note, "signal 11", "nvidia-smi");
}

TEST(DoctorGpu, ARuntimeNewerThanTheDriverIsToNote) {
  GpuFacts facts{.device = true,
                 .kernel_module = "580.65.06",
                 .driver_library = "/l/libcuda.so.580",
                 .driver_cuda = 13000,
                 .names = {"B", "A", "B"},
                 .runtime_library = "/l/libcudart.so.13",
                 .runtime_cuda = 13000};
  expect_finding(finding_of(check_gpu(facts, true), "GPU"), Light::good, "1 x A, 2 x B; used with");
  expect_finding(finding_of(check_gpu(facts, false), "GPU"), Light::note, "not used: this build has no CUDA",
                 "deploy/setup --cuda");
  expect_finding(finding_of(check_gpu(facts, true), "CUDA driver"), Light::good,
                 "580.65.06, for CUDA up to 13.0 (/l/libcuda.so.580)");
  expect_finding(finding_of(check_gpu(facts, true), "CUDA runtime"), Light::good, "13.0 (/l/libcudart.so.13)");
  facts.driver_cuda = 12040;
  expect_finding(finding_of(check_gpu(facts, true), "CUDA runtime"), Light::note, "newer than the driver's 12.4",
                 "newer");
}

TEST(DoctorGpu, DevicesAreSeenOnThePciBus) {
  const TempFolder folder;
  const fs::path device = folder.path() / "sys/bus/pci/devices/0000:01:00.0";
  EXPECT_FALSE(read_gpu_facts(folder.path()).device);
  write_text(device / "vendor", "0x10de\n");
  write_text(device / "class", "0x068000\n");
  EXPECT_FALSE(read_gpu_facts(folder.path()).device) << "a bridge between GPUs";
  write_text(device / "class", "0x030200\n");
  write_text(folder.path() / "proc/driver/nvidia/version",
             "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  Tue Mar  5\nGCC version:  gcc 12.2.0\n");
  const GpuFacts facts = read_gpu_facts(folder.path());
  EXPECT_TRUE(facts.device);
  EXPECT_EQ(facts.kernel_module, "550.54.15");
  write_text(device / "vendor", "0x8086\n");
  EXPECT_FALSE(read_gpu_facts(folder.path()).device);
  write_text(folder.path() / "dev/nvidia0", "");
  EXPECT_TRUE(read_gpu_facts(folder.path()).device);
}

TEST(DoctorNccl, VersionAndPlace) {
  expect_finding(check_nccl({.library = "/l", .version = 22809}, 22809), Light::good,
                 "2.28.9 (/l); pipeline.channel = nccl can be set, with run.device = cuda");
  expect_finding(check_nccl({.library = "/l", .version = 2804}, 22809), Light::good,
                 "2.8.4 (/l); pipeline.channel = nccl would be refused: this build is for 2.28.9");
  expect_finding(check_nccl({.library = "/l", .version = 22809}, 0), Light::good, "refused: this build has no NCCL");
  expect_finding(check_nccl({.library = "/l"}, 22809), Light::good, "unknown version (/l)");
  expect_finding(check_nccl({}, 0), Light::good, "finds no libnccl.so.2; pipeline.channel = nccl would be refused");
  expect_finding(check_nccl({.failure = "ended by signal 11"}, 22809), Light::note, "signal 11", "anew");
}

TEST(DoctorMpi, MpirunMustGoWithTheLibrary) {
  const MpiFacts facts{
      .mpirun = "/m", .says = "mpirun (Open MPI) 4.1.4", .library = "Open MPI v4.0.2, package: Debian 12.3"};
  const auto with = [&](auto change) {
    MpiFacts changed = facts;
    change(changed);
    return check_mpi_installation(changed);
  };
  expect_finding(check_mpi_installation(facts), Light::good, "Open MPI 4.1.4 (/m); the programs load 4.0.2");
  expect_finding(with([](MpiFacts& m) { m.mpirun = ""; }), Light::bad, "none in PATH", "openmpi-bin");
  expect_finding(with([](MpiFacts& m) { m.failure = "exit code 2"; }), Light::bad, "exit code 2", "PATH");
  expect_finding(with([](MpiFacts& m) { m.says = "HYDRA build details:"; }), Light::bad, "says 'HYDRA", "PATH");
  expect_finding(with([](MpiFacts& m) { m.says = "mpirun (Open MPI) 5.0.7"; }), Light::bad, "5.0.7 (/m), but", "PATH");
}

TEST(DoctorMpi, MpirunIsFoundAsTheShellFindsItAndAsked) {
  const TempFolder folder;
  fs::create_directories(folder.path() / "a/mpirun");  // a folder of that name is no program
  write_text(folder.path() / "b/mpirun", "#!/bin/sh\nprintf 'my\\033pirun 9.8.7 %s\\nmore' \"$1\"\n");
  const std::string path = (folder.path() / "a").string() + ":" + (folder.path() / "b").string();
  EXPECT_EQ(read_mpi_facts(path, 10s).mpirun, "") << "not executable";
  fs::permissions(folder.path() / "b/mpirun", fs::perms::owner_all);
  const MpiFacts facts = read_mpi_facts(path, 10s);
  EXPECT_EQ(facts.mpirun, (folder.path() / "b/mpirun").string());
  EXPECT_EQ(facts.says, "my?pirun 9.8.7 --version");
  EXPECT_EQ(facts.failure, "");
  EXPECT_EQ(facts.library.find("Open MPI v"), 0u) << facts.library;
  write_text(folder.path() / "b/mpirun", "#!/bin/sh\nsleep 60\n");
  EXPECT_EQ(read_mpi_facts(path, 200ms).failure, "no answer within 0.2 s");
}

}  // namespace
}  // namespace dflash
