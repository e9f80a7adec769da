// Who holds the live bytes of a device, for the report of a request that failed.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace garboard {

/// Something whose bytes would all come back if it were disposed.
struct Holder {
  std::string name;  // as in `dispose scope "eval"`
  std::size_t bytes = 0;
};

struct HoldersReport {
  std::string lines;         // the largest, and what else is known
  std::vector<Holder> each;  // in any order; they may share bytes
};

}  // namespace garboard
