#include "csrc/core/machine.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

namespace garboard {
namespace {

namespace fs = std::filesystem;

/// A folder that stands for /, with the caches that are written into it.
class Caches : public testing::Test {
 protected:
  Caches() : root_(fs::temp_directory_path() / ("garboard_caches_" + std::to_string(::getpid()))) {}
  ~Caches() override { fs::remove_all(root_); }

  void write(int index, const std::string& level, const std::string& size) const {
    const fs::path folder =
        root_ / "sys/devices/system/cpu/cpu0/cache" / ("index" + std::to_string(index));
    fs::create_directories(folder);
    std::ofstream(folder / "level") << level;
    std::ofstream(folder / "size") << size;
  }
  Machine read() const { return Machine::read(root_); }
  std::int64_t second_cache_bytes() const { return read().second_cache_bytes; }

 private:
  fs::path root_;
};

TEST_F(Caches, TheSecondIsReadWhereverItStands) {
  write(0, "1\n", "48K\n");
  write(1, "1\n", "32K\n");
  write(2, "2\n", "2048K\n");
  write(3, "3\n", "64M\n");

  EXPECT_EQ(second_cache_bytes(), 2 << 20);
}

TEST_F(Caches, TheSecondOfAMachineThatTellsNothingIsTheDefault) {
  EXPECT_EQ(second_cache_bytes(), Machine().second_cache_bytes);

  for (const char* const size : {"", "none", "-1K", "0K", "99999999999999999999K"}) {
    write(0, "2\n", size);
    EXPECT_EQ(second_cache_bytes(), Machine().second_cache_bytes) << size;
  }
}

TEST_F(Caches, OfAThirdOneResultsThatFitDoNotGoPastIt) {
  const auto streaming_mib = [this] { return read().streaming_bytes >> 20; };
  EXPECT_EQ(streaming_mib(), 16);

  for (const auto& [size, mib] :
       {std::pair("8M\n", 16), {"24M\n", 24}, {"105M\n", 32}, {"no", 16}}) {
    write(0, "3\n", size);
    EXPECT_EQ(streaming_mib(), mib) << size;
  }
}

TEST(Machine, CanBeSetForATest) {
  const Machine before = machine();
  Machine other = before;
  other.split_asleep_ns = 7;

  set_machine(other);

  EXPECT_EQ(machine().split_asleep_ns, 7);
  set_machine(before);
}

}  // namespace
}  // namespace garboard
