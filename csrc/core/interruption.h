// The places in long work where it can end before its time.
#pragma once

#include <stdexcept>

namespace garboard {

/// Thrown by a chunk of work that has failed elsewhere; whoever waits for the work sees that
/// failure instead.
struct InVain : std::runtime_error {
  InVain() : std::runtime_error("a chunk of work that has failed elsewhere") {}
};

/// Called between pieces of 10 us to 100 ms of one long operation, on whatever thread does them.
/// Throws where the operation is to end: because the user asked for it (see OuterLock::Ways), or
/// because another chunk of it has failed. Costs nanoseconds; now and then it may run any code,
/// with the outer lock taken.
///
/// Whoever calls it leaves results that are unfinished and memory that is valid.
void interruption_point();

}  // namespace garboard
