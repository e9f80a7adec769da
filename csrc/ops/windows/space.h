// What ops with windows have in common: the dims of space behind samples and channels.
#pragma once

#include <array>
#include <string>

#include "csrc/core/error.h"
#include "csrc/tensor/tensor.h"
#include "kernels/windows.h"

namespace garboard {

/// A number for each dim of space, as kernels have them: those that are not there come first.
using Space = std::array<std::int64_t, kernels::space_dims>;

/// Sizes and steps stay below it, so that sums of a few do not overflow.
constexpr std::int64_t most_places = std::int64_t{1} << 60;

/// `given` for each of `dims`, or one number for all; `missing` for the dims that are not there.
/// Raises ShapeError for another count, and for a number below `least`.
Space space_of(const char* op, const char* name, const Dims& given, int dims, std::int64_t least,
               std::int64_t missing);

inline std::int64_t product(const Space& space) { return space[0] * space[1] * space[2]; }

/// Of `dims` of space, what an error calls number `d` of a Space.
const char* name_of_dim(int dims, int d);

/// [a, b, *the last `dims` of space].
Dims with_space(std::int64_t a, std::int64_t b, const Space& space, int dims);

/// Of a dense tensor [a, b, *space]; without data where there is no tensor.
View space_view(const Tensor& tensor, std::int64_t a, std::int64_t b, const Space& space);

/// The last `dims` sizes of a tensor.
Space last_sizes(const Tensor& tensor, int dims);

/// Dense, without history.
Tensor dense(const Tensor& tensor);

/// A half type in float32, where windows compute; null stays null.
Tensor in_float(const Tensor& tensor);

/// Raises DTypeError for what is not floating.
void check_floating(const char* op, const Tensor& input);

/// `"channels, height, width"`.
std::string names_of_dims(const char* before, int dims);

}  // namespace garboard
