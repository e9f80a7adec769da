#include "csrc/lifetime/scope_report.h"

#include <gtest/gtest.h>

#include "csrc/core/bytes.h"
#include "csrc/lifetime/dispose_scope.h"
#include "csrc/lifetime/registry.h"
#include "tests/cpp/lifetime/thing.h"

namespace garboard {
namespace {

/// Bytes that nobody has asked an allocator for.
class Bytes {
 public:
  explicit Bytes(std::int64_t bytes, Device device = {}) {
    storage_.bytes = bytes;
    storage_.device = device;
    registry().add(storage_);
  }
  ~Bytes() { registry().remove(storage_); }

 private:
  StorageRecord storage_;
};

TEST(ScopeReport, NamesTheScopesThatHoldMost) {
  const OpenScope outer("epoch");
  const Bytes little(1_MiB);
  const OpenScope inner("eval");
  const Bytes much(3_MiB);
  Thing thing;

  EXPECT_EQ(largest_scopes(scopes_by_bytes({})),
            "\n  3.0 MiB born in scope \"eval\" are live, 1 tensors are in it"
            "\n  1.0 MiB born in scope \"epoch\" are live, 0 tensors are in it");
}

TEST(ScopeReport, LeavesOutWhatHoldsNothingOnTheDevice) {
  const OpenScope scope;
  const Bytes elsewhere(1_MiB, Device::at_slot(1));

  EXPECT_EQ(largest_scopes(scopes_by_bytes({})), "");
  EXPECT_EQ(largest_scopes(scopes_by_bytes(Device::at_slot(1))),
            "\n  1.0 MiB born in an unnamed scope are live, 0 tensors are in it");
}

TEST(ScopeReport, LeavesOutWhatIsJustBeingAskedFor) {
  const OpenScope scope;
  const Bytes there(1_MiB);
  StorageRecord asked;
  asked.bytes = 7_MiB;
  registry().expect(asked);

  EXPECT_NE(largest_scopes(scopes_by_bytes({})).find("  1.0 MiB"), std::string::npos);
  registry().abandon(asked);
}

TEST(ScopeReport, NamesThreeAtMost) {
  const OpenScope a("a");
  const Bytes first(1_MiB);
  const OpenScope b("b");
  const Bytes second(2_MiB);
  const OpenScope c("c");
  const Bytes third(3_MiB);
  const OpenScope d("d");
  const Bytes fourth(4_MiB);

  const std::string lines = largest_scopes(scopes_by_bytes({}));

  EXPECT_EQ(lines.find("\"a\""), std::string::npos);
  EXPECT_LT(lines.find("\"d\""), lines.find("\"b\""));
}

TEST(ScopeReport, IsEmptyOutsideOfScopes) { EXPECT_EQ(largest_scopes(scopes_by_bytes({})), ""); }

}  // namespace
}  // namespace garboard
