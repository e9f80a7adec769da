// The seam between ops and arithmetic: one table of kernels a device. Above it nothing is a
// template over dtypes, below it nothing knows a tensor.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "csrc/device/backend.h"
#include "kernels/roll_call.h"
#include "kernels/slot.h"

namespace garboard::kernels {

/// `x` has out's sizes.
using UnaryKernel = void (*)(const View& out, const View& x, Stream);
/// `a` and `b` are of one dtype, or one of them is a number in float32 beside a half type; each is
/// broadcast to out's sizes, or one element.
using BinaryKernel = void (*)(const View& out, const View& a, const View& b, Stream);
using TernaryKernel = void (*)(const View& out, const View& a, const View& b, const View& c,
                               Stream);
/// `out` has x's sizes, with stride 0 along the reduced dims; of a half type it may be what the
/// functor's result is widened to. Sums are as accurate as pairwise ones.
using ReduceKernel = void (*)(const View& out, const View& x, Stream);

namespace detail {

template <class Arguments>
struct ResultOf {
  using Type = void;
};
template <class Arguments>
requires requires { typename Arguments::Result; }
struct ResultOf<Arguments> {
  using Type = typename Arguments::Result;
};

}  // namespace detail

/// What a kernel returns: nothing, unless its arguments say otherwise.
template <class Arguments>
using ResultOf = typename detail::ResultOf<Arguments>::Type;
template <class Arguments>
using Kernel = ResultOf<Arguments> (*)(const Arguments&, Stream);

template <class Arguments>
struct Entry {
  Kernel<Arguments> kernel;
};
template <class List>
struct Entries;
template <class... Arguments>
struct Entries<TypeList<Arguments...>> : Entry<Arguments>... {};

/// What a device can do. No entry is null: what a device lacks raises DeviceError.
struct Table : Entries<Kernels> {
  UnaryKernel unary[functors::UnaryFunctors::size];
  BinaryKernel binary[functors::BinaryFunctors::size];
  TernaryKernel ternary[functors::TernaryFunctors::size];
  ReduceKernel reduce[functors::ReduceFunctors::size];

  /// The entry of the kernel that takes `Arguments`.
  template <class Arguments>
  Kernel<Arguments>& of() {
    static_assert(OnRollCall<Arguments>, "the struct needs a line in kernels/roll_call.h");
    return Entry<Arguments>::kernel;
  }
  template <class Arguments>
  ResultOf<Arguments> run(const Arguments& arguments, Stream stream) const {
    static_assert(OnRollCall<Arguments>, "the struct needs a line in kernels/roll_call.h");
    return Entry<Arguments>::kernel(arguments, stream);
  }
};

/// What the CPU's kernels are compiled for, "baseline", "v3" or "v4", and theirs.
struct InstructionSet {
  const char* name;
  const Table& (*table)();
};

/// Those that this build has and this machine can run, the best first. Throws DeviceError if there
/// are none: what was built for one machine alone was taken to an older one.
std::span<const InstructionSet> instruction_sets();

/// The name of the one in use.
const char* instruction_set();

namespace detail {
extern constinit std::atomic<const Table*> chosen_cpu_table;  // null until it is asked for
const Table& choose_cpu_table();
}  // namespace detail
/// The CPU's table: the best instruction set the machine has, or the one GARBOARD_ISA names
/// (see instruction_sets). Chosen once, when first asked.
inline const Table& cpu_table() {
  const Table* const table = detail::chosen_cpu_table.load(std::memory_order_acquire);
  return table ? *table : detail::choose_cpu_table();
}

/// Of a simulated device: kernels that return at once and touch nothing, neither memory nor views.
const Table& idle_table();

inline const Table& table_of(Device device) {
  return device.is_cpu() ? cpu_table() : backend_of(device).table();
}

/// Has the device of `stream` do it.
template <class Arguments>
ResultOf<Arguments> run(const Arguments& arguments, Stream stream) {
  return table_of(stream.device).run(arguments, stream);
}

/// Changes with the text of any header that both this library and that of another device are
/// compiled from; a device's library of another number is refused.
std::uint64_t roll_call_hash();

}  // namespace garboard::kernels
