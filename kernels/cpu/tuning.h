// How the CPU's kernels cut their work: sizes of blocks and parts, how far ahead memory is asked
// for, what an element costs. They suit every machine that was measured; what differs between
// machines is read or measured: csrc/core/machine.h.
#pragma once

#include <cstdint>

#include "kernels/functors/effort.h"

// Costs are about, in nanoseconds, of an element in the caches. They decide whether threads share
// the work and how it is cut, never what is computed.
namespace garboard::kernels::tuning {

inline constexpr std::int64_t line_bytes = 64;

// Elementwise. 1,024 elements of three inputs and a result, of 8 bytes each, fill a first cache of
// 32 KiB.
inline constexpr std::int64_t loop_block = 1024, loop_tile_side = 32;
/// A row at least this long is worth a call of its own; a shorter one, where an operand that is one
/// element for all of it would have to be repeated.
inline constexpr std::int64_t own_row = 64, own_short_row = 32;
/// Rows of one call: no shorter than this, for which they are gathered, and shorter than that.
inline constexpr std::int64_t least_short_row = 12, long_row = 512;
/// From this size on a dense result is no longer computed at once: threads may share it, and it may
/// go past the cache.
inline constexpr std::int64_t long_elements = 1 << 15;
/// What a thread takes of a loop at a time: some microseconds, in whole lines, tiles and blocks.
inline constexpr double loop_part_ns = 10e3;
inline constexpr std::int64_t loop_part_unit = 4096;
/// What lies at one place of the outermost dim is cut from here on.
inline constexpr std::int64_t long_place = std::int64_t{1} << 20;
/// Of a loop that streams: elements at once, and how many ahead are asked for. 64 MiB of floats are
/// added in 8.7 ms by 128, in 9.1 by 256, and by 1,024 the loop is slower than plain stores.
inline constexpr std::int64_t streamed_block = 128, streamed_ahead = 2 * streamed_block;
/// Of a loop that asks for the result's lines: elements at once, and how many ahead.
inline constexpr std::int64_t stored_block = 64, stored_ahead = 128;
/// Of rows that lie on pages of their own and are read side by side: elements of each ahead.
inline constexpr std::int64_t rows_ahead = 64;
/// An element of a functor that few operations compute, one of many, and one that vectors compute.
inline constexpr double few_ns = 0.15, many_ns = 0.5, wide_ns = 0.14;

template <class F, bool is_wide = false>
inline constexpr double element_ns = is_wide                                            ? wide_ns
                                     : functors::effort_of<F> == functors::Effort::many ? many_ns
                                                                                        : few_ns;

// Copies.
inline constexpr double copied_byte_ns = 0.04, turned_byte_ns = 0.1, counted_ns = 0.5;
inline constexpr std::int64_t copied_part_bytes = std::int64_t{1} << 18, counted_part = 1 << 15;
inline constexpr std::int64_t turned_tile_side = 64, turned_least = 1 << 8, turned_part = 1 << 15;

// Kernels of whole rows.
inline constexpr double row_element_ns = 1;  // of several passes
inline constexpr double widened_ns = 0.2;    // a float of 16 bits to 32, or back
inline constexpr std::int64_t row_part = 1 << 14, rows_gathered = 16;
inline constexpr std::int64_t row_scratch_bytes = std::int64_t{1} << 20;
/// Rows side by side, as the classes of an image's points: not fewer than the first, nor more at
/// once than the second, about so many elements, of rows no longer than the last.
inline constexpr std::int64_t least_columns = 8, columns_at_once = 128;
inline constexpr std::int64_t column_elements = 1 << 12, longest_column = 1 << 12;
/// Rows one behind the other, of so few numbers that they are turned around for that: few of a wide
/// vector, whose masks make short rows cheap.
inline constexpr std::int64_t least_turned = 8, longest_turned = 128, longest_turned_wide = 32;

// Reductions.
inline constexpr double reduced_ns = 0.04, moments_ns = 0.15, searched_ns = 0.15, scanned_ns = 0.4;
inline constexpr std::int64_t reduce_block = 1024;
/// What a thread takes at a time. A reduction to few results is cut into as many parts as its size
/// asks for, at most `reduce_parts`, whatever the number of threads; their results meet in order.
inline constexpr std::int64_t reduce_part = 1 << 16, reduce_parts = 64;
/// What is computed as it is summed: elements at once, whole blocks that fit the second cache.
inline constexpr std::int64_t brought_row = 1 << 14;
/// So many results are too few for threads to share, each being made of a row, or of a column.
inline constexpr std::int64_t few_rows = 32, few_columns = 256;

// Products of matrices.
inline constexpr double product_ns = 0.02, packed_product_ns = 0.016, dot_ns = 0.1;
/// Of the plain loop: a block of b stays in the second cache.
inline constexpr std::int64_t plain_depth = 128, plain_columns = 512;
/// A product of a library is cut into parts by its size alone, whatever the number of threads: how
/// a library sums depends on the sizes it gets. Each part packs again what it shares with others,
/// which costs 4 % at 256 a side: so many parts, if they are larger.
inline constexpr std::int64_t blas_least_side = 256, blas_least_products = 1 << 24;
inline constexpr std::int64_t blas_part_side = 256, blas_most_side = 4096, blas_parts = 16;
/// A call of a library takes no interruption: it is cut along the depth from here on.
inline constexpr std::int64_t blas_call_products = std::int64_t{1} << 33, blas_call_depth = 512;
/// Of a batch: so few products, and so few in a row, that a call of a library takes longer.
inline constexpr std::int64_t tiny_product = 64, tiny_depth = 32;
inline constexpr double tiny_product_ns = 20;
/// Of our own: a block of b, once packed, stays in the second cache while all rows of a pass by.
inline constexpr std::int64_t packed_depth = 384, packed_b_depth = 192, packed_floats = 192 * 1024;
/// A small product goes by tiles alone: of so many columns or more, no deeper than this, for b is
/// brought together on the stack where it has to be, and so many products in all.
inline constexpr std::int64_t small_columns = 5, small_depth = 128, small_products = 1 << 20;
/// What is read in short pieces of many rows, from beyond the second cache, the hardware foresees
/// for a few rows at a time.
inline constexpr std::int64_t far_depth = 48;
/// From this side on, packing an operand once more for each part does not show.
inline constexpr std::int64_t packed_long_part = 1024;
/// By the processor's tiles: elements of b, which stay in the second cache, and how much of the
/// depth; for how few of its columns rows of a are read where they lie. What a product takes; fewer
/// are not worth laying out.
inline constexpr std::int64_t amx_elements = 1 << 19, amx_depth = 2048, amx_direct_columns = 128;
inline constexpr double amx_product_ns = 0.0015;
inline constexpr std::int64_t amx_least_side = 8, amx_least_products = 1 << 15;
/// Of a convolution: out channels, and twice 16 channels of a weight's gradient at a time.
inline constexpr std::int64_t amx_least_rows = 4, amx_weight_columns = 2;

/// Of half types: a product of so few rows or columns is computed by panels of so many elements
/// of the other operand.
inline constexpr std::int64_t thin_side = 7, thin_panel = 1 << 16;

/// Up to so many rows, or for fewer columns, a triangular system is BLAS's.
inline constexpr std::int64_t triangle_side = 32, triangle_columns = 16;
/// Up to so many columns a factorization goes column by column.
inline constexpr std::int64_t lu_columns = 16;
/// What a product takes off in a factorization, or a solution, is negated so many elements at a
/// time, which are memory beside it.
inline constexpr std::int64_t negated_elements = std::int64_t{1} << 18;
/// Matrices of up to so many rows and columns get their orthogonal factors by reflections of ours.
inline constexpr int reflected_side = 64;

/// A difference of two rows' elements.
inline constexpr double distance_ns = 0.06;
/// Rows that others meet while these stand side by side, columns of them at a time: what stands so
/// stays in the second cache. Rows whose shares of a gradient stay in the first.
inline constexpr std::int64_t distance_rows = 256, distance_columns = 256, distance_shares = 64;

// Convolutions.
/// Lines of factors that are asked for ahead; they come from beyond the caches where channels are
/// many: 8 x 512 x 7 x 7 in 20 ms instead of 26.
inline constexpr std::int64_t factors_ahead = 32;
/// By patches: what else takes as long as so many products. An element of a patch and one of its
/// sums, for a lane; the factors of a row and channel, as they lie or turned around; and how many
/// products in all are worth it.
inline constexpr double patch_element = 200, patch_sum = 160;
inline constexpr double patch_factors = 300, patch_turned_factors = 400, worth_patches = 0.95;
/// Of a weight beyond the second cache: most columns of a product instead, where patches are the
/// other way, and where there is none.
inline constexpr std::int64_t product_columns_by_patches = 96, product_columns = 256;

// Fourier transforms: a number of one, or of its mirror image.
inline constexpr double transformed_ns = 3, mirrored_ns = 0.5;
/// One signal is a matrix from so many vectors on, where fewer than this part of a vector's lanes
/// would have one of their own.
inline constexpr std::int64_t least_apart_vectors = 4, lanes_a_signal = 2;
/// Threads share a signal from here on, rather than signals; what one takes of it: numbers of a
/// convolution, pairs of a half and its mirror image.
inline constexpr std::int64_t long_signal = std::int64_t{1} << 18;
inline constexpr std::int64_t convolved_part = 1 << 14, mirrored_part = 1 << 13;

// Indices and masks: an element of a row that moves, one that is fetched on its own or taken away,
// beyond the caches too, an index that is passed over, one whose range is looked at, one of a mask.
inline constexpr double moved_ns = 0.3, fetched_ns = 1.5, taken_ns = 1.5, taken_far_ns = 6;
inline constexpr double passed_ns = 0.7, ranged_ns = 0.3, masked_ns = 0.8, mask_counted_ns = 0.05;
inline constexpr std::int64_t index_part = 1 << 14;
/// Where an index reaches over more than the first cache holds, places are fetched so far ahead.
inline constexpr std::int64_t near_bytes = 32 << 10, places_ahead = 16;
/// A bit of a mask, taken or looked at, and how many bytes of them a thread takes at a time.
inline constexpr double bit_ns = 0.15;
/// Where one element of so many is true, or more of them, vectors go through a mask.
inline constexpr std::int64_t one_true_of = 16;
inline constexpr std::int64_t bits_part = 1 << 12;

// Order: a number looked for in a row, and how many at once; how long a part of slices takes.
inline constexpr double looked_for_ns = 60, slices_part_ns = 2e4;
inline constexpr std::int64_t looked_for_part = 256;
/// So many different integers are counted rather than sorted.
inline constexpr std::int64_t counted_values = std::int64_t{1} << 20;

// Layers, losses, optimizers, random numbers.
inline constexpr double optimizer_ns = 0.5;  // four or five streams of memory
inline constexpr double layer_norm_ns = 0.5, cross_entropy_ns = 1, random_ns = 1;
inline constexpr std::int64_t nn_part = 1 << 14, nn_parts = 64, convolution_parts = 32;
inline constexpr std::int64_t random_part = 32;
inline constexpr std::int64_t short_row = 4096;  // after which the next row is asked for

}  // namespace garboard::kernels::tuning
