// The memory that a process can have is the least of the machine's and of its control groups' limits, of either
// version and on each level.

#include "experiments/runner/memory_limit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

namespace ouro::runner {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr uint64_t kMiB = 1 << 20;

// A directory that is taken for /, of a machine of 8 GiB.
class ASystem : public testing::Test {
protected:
    ASystem() {
        std::string name = testing::TempDir() + "ouro-XXXXXX";
        root_ = mkdtemp(name.data());
        write("proc/meminfo", "MemTotal:        8388608 kB\nMemFree:         1024 kB\n");
    }
    ~ASystem() override { std::filesystem::remove_all(root_); }

    void write(const std::string& file, const std::string& text) {
        std::filesystem::create_directories((root_ / file).parent_path());
        std::ofstream(root_ / file) << text;
    }
    void version_2(const std::string& group) {
        write("proc/self/mountinfo",
              "22 1 0:20 / /sys rw - sysfs sysfs rw\n"
              "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw\n");
        write("proc/self/cgroup", "0::" + group + "\n");
    }
    void version_1(const std::string& mounted, const std::string& group) {
        write("proc/self/mountinfo", "31 22 0:27 " + mounted +
                                         " /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n" +
                                         "32 22 0:28 " + mounted +
                                         " /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
        write("proc/self/cgroup", "5:cpu:/elsewhere\n4:memory:" + group + "\n0::/\n");
    }
    MemoryLimit limit() const { return memory_limit(root_); }

    std::filesystem::path root_;
};

TEST_F(ASystem, WithoutControlGroupsHasTheMachinesMemory) {
    EXPECT_EQ(limit().bytes, 8192 * kMiB);
    EXPECT_EQ(limit().source, "the memory of this machine");
}

TEST_F(ASystem, ThatTellsNothingHasNoLimit) {
    write("proc/meminfo", "");
    EXPECT_EQ(limit().bytes, 0u);
    EXPECT_THAT(does_not_fit(1e18, limit()), IsEmpty());
}

TEST_F(ASystem, OfVersion2HasTheLeastLimitOfAllLevels) {
    version_2("/a/b");
    write("sys/fs/cgroup/a/b/memory.max", "max\n");
    write("sys/fs/cgroup/a/b/memory.high", "max\n");
    EXPECT_EQ(limit().bytes, 8192 * kMiB);
    write("sys/fs/cgroup/a/b/memory.max", "4294967296\n");
    EXPECT_EQ(limit().source, "memory.max of /sys/fs/cgroup/a/b");
    write("sys/fs/cgroup/a/memory.max", "2147483648\n");
    EXPECT_EQ(limit().source, "memory.max of /sys/fs/cgroup/a");
    write("sys/fs/cgroup/a/b/memory.high", "1073741824\n");
    EXPECT_EQ(limit().source, "memory.high of /sys/fs/cgroup/a/b");
    EXPECT_EQ(limit().bytes, 1024 * kMiB);
}

TEST_F(ASystem, InANamespaceOfItsOwnHasTheLimitAtTheTop) {
    version_2("/");
    write("sys/fs/cgroup/memory.max", "1073741824\n");
    EXPECT_EQ(limit().bytes, 1024 * kMiB);
    version_2("/../beside");
    EXPECT_EQ(limit().source, "memory.max of /sys/fs/cgroup");
}

TEST_F(ASystem, OfVersion1HasTheLeastLimitOfAllLevels) {
    version_1("/", "/a/b");
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    write("sys/fs/cgroup/memory/elsewhere/memory.limit_in_bytes", "1\n");
    write("sys/fs/cgroup/cpu/a/memory.limit_in_bytes", "1\n");
    EXPECT_EQ(limit().bytes, 8192 * kMiB);
    write("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "4294967296\n");
    EXPECT_EQ(limit().source, "memory.limit_in_bytes of /sys/fs/cgroup/memory/a/b");
    write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "2147483648\n");
    EXPECT_EQ(limit().bytes, 2048 * kMiB);
}

TEST_F(ASystem, WhoseGroupIsMountedAtTheTopHasTheLimitThere) {
    version_1("/docker/1234", "/docker/1234");
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "536870912\n");
    EXPECT_EQ(limit().bytes, 512 * kMiB);
    version_1("/docker/1234", "/docker/1234/inner");
    write("sys/fs/cgroup/memory/inner/memory.limit_in_bytes", "268435456\n");
    EXPECT_EQ(limit().bytes, 256 * kMiB);
}

TEST_F(ASystem, SaysWhatCannotFitAndWhy) {
    version_2("/a");
    write("sys/fs/cgroup/a/memory.max", "1073741824\n");
    EXPECT_THAT(does_not_fit(1024.0 * kMiB, limit()), IsEmpty());
    EXPECT_THAT(does_not_fit(1025.0 * kMiB, limit()),
                AllOf(HasSubstr("needs at least 1025 MiB"), HasSubstr("there are 1024 MiB"),
                      HasSubstr("memory.max of /sys/fs/cgroup/a")));
}

TEST(TheLimitHere, IsMoreThanThisTestNeeds) {
    EXPECT_GT(memory_limit().bytes, 16 * kMiB);
}

}  // namespace
}  // namespace ouro::runner
