#include "csrc/device/cuda_library.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "csrc/core/error.h"
#include "kernels/table.h"

namespace garboard {
namespace {

constexpr std::uint64_t roll_calls = 42;

/// A library as it would be on a machine with a device.
CudaLibrary usable() {
  CudaLibrary library;
  library.version = CudaLibrary::current_version;
  library.roll_calls = roll_calls;
  library.device_count = 1;
  return library;
}

TEST(CudaLibrary, IsUsedWhereBuildAndDeviceAreThere) {
  EXPECT_EQ(reason_against(usable(), roll_calls), "");
}

TEST(CudaLibrary, OfOtherRollCallsIsRefused) {
  EXPECT_TRUE(reason_against(usable(), roll_calls + 1).starts_with("build mismatch: "));
}

TEST(CudaLibrary, OfAnotherVersionIsRefusedWhateverElseItSays) {
  CudaLibrary library = usable();
  library.version = CudaLibrary::current_version + 1;
  library.reason = nullptr;  // nothing but the version may be read

  EXPECT_TRUE(reason_against(library, roll_calls).starts_with("build mismatch: "));
}

TEST(CudaLibrary, WithoutADeviceSaysWhyInItsOwnWords) {
  CudaLibrary library = usable();
  library.device_count = 0;
  library.reason = "no driver: it is gone";

  EXPECT_EQ(reason_against(library, roll_calls), "no driver: it is gone");
}

TEST(CudaLibrary, ThatIsNotThereIsNamedByWhatTheBuildWas) {
  const auto opened = open_cuda_library("nowhere", roll_calls);

  EXPECT_EQ(opened.library, nullptr);
  EXPECT_TRUE(opened.reason.starts_with(is_built_with_cuda() ? "library not found: "
                                                             : "built without CUDA: "));
}

TEST(CudaLibrary, LiesBesideLibgarboard) {
  EXPECT_TRUE(std::filesystem::exists(folder_of_binaries() + "/libgarboard.so"));
}

/// The library of this build; skips the test where there is none.
class BuiltCudaLibrary : public testing::Test {
 protected:
  void SetUp() override {
    if (!is_built_with_cuda()) GTEST_SKIP() << "built without CUDA";
  }
  const CudaLibrary& library() const {
    const std::string file = folder_of_binaries() + "/" + CudaLibrary::file_name;
    void* const opened = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(opened, nullptr) << dlerror();
    const auto function =
        reinterpret_cast<CudaLibrary::Function>(dlsym(opened, CudaLibrary::function_name));
    return *function();
  }
};

TEST_F(BuiltCudaLibrary, LoadsWithoutADriverAndIsOfTheseSources) {
  EXPECT_EQ(library().version, CudaLibrary::current_version);
  EXPECT_EQ(library().roll_calls, kernels::roll_call_hash());
}

TEST_F(BuiltCudaLibrary, HasDevicesOrAReason) {
  const std::string reason = library().reason;

  EXPECT_EQ(library().device_count > 0, reason.empty()) << reason;
  EXPECT_EQ(open_cuda_library(folder_of_binaries(), kernels::roll_call_hash()).reason, reason);
}

TEST_F(BuiltCudaLibrary, IsRefusedByAnotherBuild) {
  const auto opened = open_cuda_library(folder_of_binaries(), kernels::roll_call_hash() + 1);

  EXPECT_EQ(opened.library, nullptr);
  EXPECT_TRUE(opened.reason.starts_with("build mismatch: ")) << opened.reason;
}

TEST_F(BuiltCudaLibrary, RaisesErrorsThatAreCaughtHere) {
  EXPECT_THROW(library().table->run(kernels::LuPlaces{}, {}), DeviceError);
}

TEST_F(BuiltCudaLibrary, AnswersARequestForMemoryWithNullWhereThereIsNoDevice) {
  if (library().device_count > 0) GTEST_SKIP() << "there is a device";

  EXPECT_EQ(library().allocate(0, 512), nullptr);
}

}  // namespace
}  // namespace garboard
