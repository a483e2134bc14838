// dflash doctor on machines that the test plays: which light, which words, what to do.
#include <gtest/gtest.h>

#include "deploy/cli/doctor/choices.h"
#include "deploy/cli/doctor/cpu.h"
#include "deploy/cli/doctor/disk.h"
#include "deploy/cli/doctor/kernel.h"
#include "deploy/cli/doctor/limits.h"
#include "deploy/cli/doctor/memory.h"
#include "deploy/cli/doctor/programs.h"
#include "tests/cli/findings.h"
#include "tests/support/temp_folder.h"

namespace dflash {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMiB = 1 << 20;
constexpr int64_t kGiB = 1 << 30;

TEST(DoctorCpu, AQuotaBelowTheCoresIsToNote) {
  expect_finding(check_cores(64, std::nullopt), Light::good, "64 for this process");
  expect_finding(check_cores(2, 2.0), Light::good, "2 for");
  expect_finding(check_cores(64, 1.5), Light::note, "the time of 1.5", "target.threads");
}

TEST(DoctorCpu, TheLeastQuotaOfAllGroupsBinds) {
  const TempFolder folder;
  EXPECT_EQ(cpu_quota_cores({folder.path()}), std::nullopt) << "no cpu.max: the root of all groups";
  write_text(folder.path() / "inner/cpu.max", "max 100000\n");
  EXPECT_EQ(cpu_quota_cores({folder.path() / "inner", folder.path()}), std::nullopt);
  write_text(folder.path() / "inner/cpu.max", "300000 100000\n");
  write_text(folder.path() / "cpu.max", "50000 20000\n");
  EXPECT_EQ(cpu_quota_cores({folder.path() / "inner", folder.path()}), 2.5);
}

TEST(DoctorCpu, Load) {
  expect_finding(check_load(1.94, 2), Light::good, "1.9 running or waiting on 2 core(s)");
  expect_finding(check_load(2.1, 2), Light::note, "2.1", "shares the cores");
}

TEST(DoctorCpu, VectorInstructions) {
  const auto check = [](const std::string& flags) {
    return check_vector_instructions("processor\t: 0\nflags\t\t: " + flags + "\nbugs\t\t: avx2 fma\n");
  };
  expect_finding(check("fpu sse4_2 avx2 fma"), Light::note, "AVX2, none for bfloat16", "float32");
  expect_finding(check("avx2 fma avx512f"), Light::note, "AVX2, AVX-512, none for bfloat16", "float32");
  expect_finding(check("avx2 fma avx512f avx512_bf16"), Light::good, "AVX-512 bf16");
  EXPECT_EQ(check("avx2 fma avx512f avx512_bf16 amx_bf16").found, "AVX2, AVX-512, AVX-512 bf16, AMX bf16");
  expect_finding(check("fpu avx fma"), Light::note, "no AVX2", "slower");
  expect_finding(check("avx2"), Light::note, "no AVX2", "slower");
  expect_finding(check_vector_instructions("Features\t: fp asimd\n"), Light::good, "ARM NEON");
  expect_finding(check_vector_instructions("flags"), Light::note, "no AVX2", "slower");
  expect_finding(check_vector_instructions(""), Light::note, "no AVX2", "slower");
}

TEST(DoctorKernel, DeathsThatAreNotSeenAreToNote) {
  EXPECT_TRUE(deaths_are_seen()) << "on the kernel that runs this test";
  expect_finding(check_kernel("Linux 6.1", true), Light::good, "Linux 6.1; a rank that dies is seen at once");
  expect_finding(check_kernel("Linux 4.18", false), Light::note, "noticed late", "Linux 5.3");
}

TEST(DoctorMemory, LessThanTheQueueIsToNote) {
  expect_finding(check_memory(20 * kGiB, 2 * kGiB, 2 * kGiB), Light::good, "20.0 GiB, of which 2.0 GiB are available");
  expect_finding(check_memory(20 * kGiB, kGiB, 2 * kGiB), Light::note, "may take 2.0 GiB", "pipeline.queue_bytes");
  expect_finding(check_memory(4 * kGiB, INT64_MAX, kGiB), Light::good, "of which 4.0 GiB");
}

TEST(DoctorMemory, ChannelMemory) {
  EXPECT_EQ(try_channel_memory(), "");
  expect_finding(check_channel_memory(""), Light::good, "memfd");
  expect_finding(check_channel_memory("memfd_create: denied"), Light::bad, "denied", "pipeline.channel=mpi");
}

TEST(DoctorMemory, OpenMpisSegmentsMustFit) {
  const SharedFolderFacts folder{.writable = true, .total_bytes = 64 * kMiB, .free_bytes = 12 * kMiB};
  expect_finding(check_shared_folder(folder, 3), Light::good, "12.0 MiB of 64.0 MiB free");
  expect_finding(check_shared_folder(folder, 4), Light::bad, "up to 16.0 MiB for 4 ranks", "--shm-size");
  expect_finding(check_shared_folder({}, 3), Light::note, "is not there", "mount");
  EXPECT_FALSE(read_shared_folder("/nowhere/shm").writable);
  const TempFolder here;
  const SharedFolderFacts facts = read_shared_folder(here.path());
  EXPECT_TRUE(facts.writable);
  EXPECT_GE(facts.total_bytes, facts.free_bytes);
}

TEST(DoctorLimits, LockedMemoryMattersForInfiniBand) {
  const rlimit little{8 * kMiB, 8 * kMiB};
  expect_finding(check_locked_memory(little, false), Light::good, "8.0 MiB; not needed");
  expect_finding(check_locked_memory(little, true), Light::note, "8.0 MiB, and there is InfiniBand", "memlock");
  expect_finding(check_locked_memory({RLIM_INFINITY, RLIM_INFINITY}, true), Light::good, "unlimited");
  const TempFolder folder;
  EXPECT_FALSE(has_infiniband(folder.path()));
  EXPECT_FALSE(has_infiniband(folder.path() / "none"));
  write_text(folder.path() / "mlx5_0/node_type", "1: CA\n");
  EXPECT_TRUE(has_infiniband(folder.path()));
}

TEST(DoctorLimits, OpenFiles) {
  expect_finding(check_open_files({1024, 4096}, 100), Light::good, "100 ranks may need 464");
  expect_finding(check_open_files({1024, 4096}, 300), Light::bad, "1024 for each process", "ulimit -n 1264");
  expect_finding(check_open_files({1024, 1024}, 300), Light::bad, "may need 1264", "hard limit");
  expect_finding(check_open_files({RLIM_INFINITY, RLIM_INFINITY}, 300), Light::good, "unlimited");
}

TEST(DoctorDisk, WhatIsWrongWithIt) {
  const DiskFacts disk{.folder = "/runs", .is_folder = true, .writable = true, .free_bytes = 16 * kGiB};
  const auto with = [&](auto change) {
    DiskFacts facts = disk;
    change(facts);
    return check_disk(facts);
  };
  expect_finding(check_disk(disk), Light::good, "16.0 GiB free in /runs");
  expect_finding(with([](DiskFacts& d) { d.free_bytes = kGiB; }), Light::note, "1.0 GiB free in /runs", "--dry-run");
  expect_finding(with([](DiskFacts& d) { d.free_bytes = kMiB; }), Light::bad, "1.0 MiB free", "make room");
  expect_finding(with([](DiskFacts& d) { d.writable = false; }), Light::bad, "/runs cannot be written to", "run.dir");
  expect_finding(check_disk({.failure = "the working directory: gone"}), Light::bad, "directory: gone", "cd");
  expect_finding(with([](DiskFacts& d) { d.is_folder = false; }), Light::bad, "/runs is a file", "name a folder");
}

TEST(DoctorDisk, AFolderThatIsNotThereYetIsJudgedByTheOneAbove) {
  const TempFolder folder;
  const DiskFacts facts = read_disk_facts(folder.path() / "runs/../new/a");
  EXPECT_EQ(facts.folder, folder.path());
  EXPECT_TRUE(facts.is_folder && facts.writable);
  EXPECT_GT(facts.free_bytes, 0);
  EXPECT_EQ(read_disk_facts(folder.path() / ".").folder, folder.path());
  EXPECT_EQ(read_disk_facts("/").folder, "/");
  write_text(folder.path() / "file", "");
  EXPECT_FALSE(read_disk_facts(folder.path() / "file").is_folder);
}

TEST(DoctorPrograms, MissingOnesAreNamed) {
  const TempFolder folder;
  for (const char* name : {"coordinator", "target_worker", "drafter_worker", "dflash-model"}) {
    write_text(folder.path() / name, "");
    fs::permissions(folder.path() / name, fs::perms::owner_all);
  }
  expect_finding(look_for_programs(folder.path()), Light::good, folder.path().string());
  fs::remove(folder.path() / "coordinator");
  fs::permissions(folder.path() / "dflash-model", fs::perms::owner_read);
  expect_finding(look_for_programs(folder.path()), Light::bad, ": coordinator, dflash-model", "deploy/setup");
}

TEST(DoctorChoices, ThreadsChannelAndQueue) {
  const Findings findings = check_choices(2, 1, {.cores = 16, .memory_bytes = 40 * kGiB}, 0, true);
  expect_finding(finding_of(findings, "threads"), Light::good, "2 target(s) x 5 and 1 drafter(s) x 5 on 16 core(s)");
  expect_finding(finding_of(findings, "channel"), Light::good,
                 "shm (auto: one node; between nodes mpi, with run.device = cuda ");
  expect_finding(finding_of(findings, "queue"), Light::good, "60 batches or 4.0 GiB");
  expect_finding(finding_of(findings, "device"), Light::good, "cpu (run.device; cuda would be refused: no GPU)");
  expect_finding(finding_of(check_choices(2, 1, {2, kGiB}, 3, true), "device"), Light::good,
                 "cuda can be set: 3 GPU(s)");
  expect_finding(finding_of(check_choices(2, 1, {2, kGiB}, 3, false), "device"), Light::good, "this build has no CUDA");
  expect_finding(finding_of(check_choices(2, 1, {2, kGiB}, 0, true), "threads"), Light::note, "2 target(s) x 1",
                 "take turns");
}

}  // namespace
}  // namespace dflash
