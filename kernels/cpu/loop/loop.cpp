#include "kernels/cpu/loop/loop.h"
#include "kernels/cpu/loop/copy_bytes.h"

#include <cstring>

#include "kernels/cpu/loop/parallel.h"
#include "kernels/cpu/loop/plan.h"
#include "kernels/cpu/loop/transpose.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace garboard::kernels::GARBOARD_ISA {
namespace {

using tuning::line_bytes, tuning::loop_block, tuning::long_place, tuning::own_row,
    tuning::own_short_row, tuning::least_short_row;
constexpr std::int64_t tile_side = tuning::loop_tile_side;

void make_plan(LoopPlan& plan, const View& out, const View* const* in, int inputs) {
  plan.operands = 1 + inputs;
  plan.operand[0] = operand_of(out);
  for (int k = 0; k < inputs; ++k) plan.operand[1 + k] = operand_of(*in[k]);
  for (int d = 0, n = out.sizes.size(); d < n; ++d) {
    LoopDim dim{};
    dim.size = out.sizes.data()[d];
    dim.strides[0] = out.strides.data()[d];
    for (int k = 0; k < inputs; ++k)
      dim.strides[1 + k] = is_scalar(*in[k]) ? 0 : in[k]->strides.data()[d];
    plan.insert(dim);
  }
  plan.coalesce();
  if (plan.dims > 0) return;
  plan.dims = 1;  // one element
  plan.dim[0] = {1, {1, 1, 1, 1}};
}

/// The strides of the innermost dim are all 0 or 1, as the stretch can take them.
bool is_direct(const Elementwise& op, const LoopDim& inner, int operands, unsigned& scalars) {
  scalars = 0;
  for (int k = 0; k < operands; ++k) {
    if (inner.strides[k] == 0 && k > 0)
      scalars |= 1u << (k - 1);
    else if (inner.strides[k] != 1)
      return false;
  }
  return op.scalar_sets >> scalars & 1;
}

bool overwrites_an_input(const LoopPlan& plan) {
  for (int k = 1; k < plan.operands; ++k)
    if (plan.operand[k].data == plan.operand[0].data) return true;
  return false;
}

// Streamed stores become visible to other threads in order only after `finish_streaming`.
#ifdef __x86_64__
void stream_line(char* to, const char* from) {
#if defined(__AVX512F__)
  _mm512_stream_si512(reinterpret_cast<__m512i*>(to), _mm512_loadu_si512(from));
#else
  for (int i = 0; i < line_bytes; i += 16)
    _mm_stream_si128(reinterpret_cast<__m128i*>(to + i),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
#endif
}
void finish_streaming() { _mm_sfence(); }
#else
void stream_line(char* to, const char* from) { std::memcpy(to, from, line_bytes); }
void finish_streaming() {}
#endif

std::int64_t bytes_to_line(const char* at) {
  return -reinterpret_cast<std::intptr_t>(at) & (line_bytes - 1);
}

// The result passes through a buffer, so that no stretch needs a second form. It is so small that
// reading the inputs never waits for the stores.
void run_streaming(const Elementwise& op, const LoopPlan& plan, unsigned scalars) {
  constexpr std::int64_t block = tuning::streamed_block, ahead = tuning::streamed_ahead;
  alignas(line_bytes) char buffer[block * largest_item];
  const auto& [out, item] = plan.operand[0];
  const std::int64_t count = plan.dim[0].size;
  std::int64_t i = 0;
  const void* in[max_inputs];
  const auto stand_at = [&](std::int64_t place) {
    for (int k = 1; k < plan.operands; ++k) {
      const char* at = plan.operand[k].data + plan.dim[0].strides[k] * place * plan.operand[k].item;
      in[k - 1] = at;
      if (plan.dim[0].strides[k] == 0) continue;
      for (std::int64_t line = 0; line < block * plan.operand[k].item; line += line_bytes)
        __builtin_prefetch(at + ahead * plan.operand[k].item + line);
    }
  };
  const auto compute = [&](void* to, std::int64_t n) {
    stand_at(i);
    op.stretch(to, in, n, scalars);
    i += n;
  };
  if (bytes_to_line(out) % item == 0) {
    compute(out, bytes_to_line(out) / item);
    while (i + block <= count) {
      char* to = out + i * item;
      compute(buffer, block);
      for (std::int64_t line = 0; line < block * item; line += line_bytes)
        stream_line(to + line, buffer + line);
    }
    finish_streaming();
  }
  compute(out + i * item, count - i);
}

void run_rows(const Elementwise& op, const LoopPlan& plan, unsigned scalars) {
  const std::int64_t count = plan.inner().size;
  const LoopDim& row = plan.dim[plan.dims < 2 ? 0 : plan.dims - 2];
  std::int64_t steps[max_operands];  // from one row to the next
  for (int k = 0; k < plan.operands; ++k) steps[k] = row.strides[k] * plan.operand[k].item;
  if (op.rows && plan.dims > 1 && count < tuning::long_row) {
    return for_each_place(plan, 2, [&](char* const* data) {
      op.rows(data[0], reinterpret_cast<const void* const*>(data + 1), row.size, steps, count,
              scalars);
    });
  }
  if (plan.dims == 2) {  // the usual ones
    char* data[max_operands];
    for (int k = 0; k < plan.operands; ++k) data[k] = plan.operand[k].data;
    for (std::int64_t r = 0; r < row.size; ++r) {
      op.stretch(data[0], reinterpret_cast<const void* const*>(data + 1), count, scalars);
      for (int k = 0; k < plan.operands; ++k) data[k] += steps[k];
    }
    return;
  }
  for_each_place(plan, 1, [&](char* const* data) {
    op.stretch(data[0], reinterpret_cast<const void* const*>(data + 1), count, scalars);
  });
}

/// The same where what lies at one place of the outermost dim is long.
void run_long_rows(const Elementwise& op, const LoopPlan& plan, unsigned scalars) {
  const LoopDim& inner = plan.inner();
  Pace pace;
  for_each_place(plan, 1, [&](char* const* data) {
    pace.advance(inner.size);
    for (const auto [first, last] : Pieces<>(inner.size)) {
      void* at[max_operands];
      for (int k = 0; k < plan.operands; ++k)
        at[k] = data[k] + first * inner.strides[k] * plan.operand[k].item;
      op.stretch(at[0], at + 1, last - first, scalars);
    }
  });
}

/// Whether all elements of a row come out the same, as of a column beside a number.
bool repeats_along_rows(const LoopDim& inner, int operands) {
  bool repeats = inner.strides[0] == 1 && inner.size >= own_row;
  for (int k = 1; k < operands; ++k) repeats &= inner.strides[k] == 0;
  return repeats;
}

/// Computes one element of each row, and writes it all along.
void run_repeating(const Elementwise& op, const LoopPlan& plan) {
  const std::int64_t count = plan.inner().size;
  Pace pace;
  for_each_place(plan, 1, [&](char* const* data) {
    op.stretch(data[0], reinterpret_cast<const void* const*>(data + 1), 1, 0);
    visit_item(plan.operand[0].item, [&]<class Item>(Type<Item>) {
      using Aliased [[gnu::may_alias]] = Item;
      auto* const y = reinterpret_cast<Aliased*>(data[0]);
      for (const auto [first, last] : Pieces<>(count)) {
        pace.advance(last - first);
        const Item value = *y;
        for (std::int64_t i = first; i < last; ++i) y[i] = value;
      }
    });
  });
}

/// Of a plan with a row dim before the column dim: does a tile of the two.
void run_tile(const Elementwise& op, const LoopPlan& plan, char* const* data, std::int64_t rows,
              std::int64_t columns) {
  alignas(64) char buffers[max_operands][loop_block * largest_item];
  const LoopDim& row = plan.dim[plan.dims - 2];
  const LoopDim& column = plan.inner();
  const Rectangle result{rows, columns, row.strides[0], column.strides[0]};
  if (op.moves && result.is_dense())
    return gather(plan.operand[1].item, data[0], data[1],
                  {rows, columns, row.strides[1], column.strides[1]});
  const void* in[max_inputs];
  unsigned scalars = 0;
  for (int k = 1; k < plan.operands; ++k)
    if (row.strides[k] == 0 && column.strides[k] == 0) scalars |= 1u << (k - 1);
  if (!(op.scalar_sets >> scalars & 1)) scalars = 0;
  for (int k = 1; k < plan.operands; ++k) {
    const Rectangle block{rows, columns, row.strides[k], column.strides[k]};
    in[k - 1] = data[k];
    if (block.is_dense() || scalars >> (k - 1) & 1) continue;
    gather(plan.operand[k].item, buffers[k], data[k], block);
    in[k - 1] = buffers[k];
  }
  if (result.is_dense()) return op.stretch(data[0], in, rows * columns, scalars);
  op.stretch(buffers[0], in, rows * columns, scalars);
  scatter(plan.operand[0].item, data[0], buffers[0], result);
}

/// Makes the dim beside the innermost one that along which a transposed operand is dense. True if
/// there is such an operand.
bool bring_transposed_dim_inward(LoopPlan& plan) {
  for (int k = 0; k < plan.operands; ++k) {
    if (size_of(plan.inner().strides[k]) <= 1) continue;
    for (int d = plan.dims - 2; d >= 0; --d) {
      if (plan.dim[d].strides[k] != 1) continue;
      const LoopDim row = plan.dim[d];
      for (int later = d; later < plan.dims - 2; ++later) plan.dim[later] = plan.dim[later + 1];
      plan.dim[plan.dims - 2] = row;
      return true;
    }
  }
  return false;
}

void run_tiles(const Elementwise& op, LoopPlan& plan) {
  plan.pad(2);
  const bool is_transposed = bring_transposed_dim_inward(plan);
  const LoopDim& row = plan.dim[plan.dims - 2];
  const LoopDim& column = plan.inner();
  std::int64_t columns = smaller(column.size, loop_block);
  if (is_transposed) columns = smaller(column.size, loop_block / smaller(row.size, tile_side));
  const std::int64_t rows = smaller(row.size, loop_block / columns);
  Pace pace;

  for_each_place(plan, 2, [&](char* const* data) {
    for (std::int64_t r = 0; r < row.size; r += rows) {
      for (std::int64_t c = 0; c < column.size; c += columns) {
        pace.advance(rows * columns);
        char* at[max_operands];
        for (int k = 0; k < plan.operands; ++k)
          at[k] = data[k] + (r * row.strides[k] + c * column.strides[k]) * plan.operand[k].item;
        run_tile(op, plan, at, smaller(row.size - r, rows), smaller(column.size - c, columns));
      }
    }
  });
}

template <class T>
void gather_items(T* to, const T* from, const Rectangle& block) {
  const auto [rows, columns, row_stride, column_stride] = block;
  if (row_stride == 0 && rows > 1) {  // one row for all: doubled until it fills the block
    gather_items(to, from, {1, columns, 0, column_stride});
    const std::int64_t count = rows * columns;
    for (std::int64_t done = columns; done < count; done += done) {
      const std::int64_t n = smaller(count - done, done);
      copy_bytes(to + done, to, n * static_cast<std::int64_t>(sizeof(T)));
    }
    return;
  }
  if (row_stride == 1 && column_stride != 1) {  // read along the rows' direction, which is dense
    return transpose(to, columns, from, column_stride, columns, rows);
  }
  for (std::int64_t r = 0; r < rows; ++r, to += columns, from += row_stride) {
    if (column_stride == 1)
      for (std::int64_t c = 0; c < columns; ++c) to[c] = from[c];
    else if (const T first = *from; column_stride == 0)
      for (std::int64_t c = 0; c < columns; ++c) to[c] = first;
    else if (column_stride == -1)  // of its own: vectors can be turned round
      for (std::int64_t c = 0; c < columns; ++c) to[c] = from[-c];
    else if (column_stride == 2)  // likewise of real parts
      for (std::int64_t c = 0; c < columns; ++c) to[c] = from[2 * c];
    else
      for (std::int64_t c = 0; c < columns; ++c) to[c] = from[c * column_stride];
  }
}

template <class T>
void scatter_items(T* to, const T* from, const Rectangle& block) {
  const auto [rows, columns, row_stride, column_stride] = block;
  if (row_stride == 1 && column_stride != 1) {
    return transpose(to, column_stride, from, columns, rows, columns);
  }
  for (std::int64_t r = 0; r < rows; ++r, from += columns, to += row_stride) {
    if (column_stride == 1)
      for (std::int64_t c = 0; c < columns; ++c) to[c] = from[c];
    else
      for (std::int64_t c = 0; c < columns; ++c) to[c * column_stride] = from[c];
  }
}

/// Of the inputs and the result, those that are walked.
std::int64_t bytes_of(const LoopPlan& plan, std::int64_t count) {
  std::int64_t items = 0;
  for (int k = 0; k < plan.operands; ++k)
    if (plan.inner().strides[k] != 0) items += plan.operand[k].item;
  return count * items;
}

/// How much of the outermost dim, `inside` elements each, makes a part for a thread: some
/// microseconds of work, and whole lines, tiles and blocks of an easy stretch.
std::int64_t part_size(const Elementwise& op, std::int64_t inside) {
  const auto elements = static_cast<std::int64_t>(tuning::loop_part_ns / op.element_ns);
  const std::int64_t unit = inside == 1 ? tuning::loop_part_unit : tile_side;
  return (elements / inside / unit + 1) * unit;
}

}  // namespace

void gather(int item, void* to, const void* from, const Rectangle& block) noexcept {
  visit_item(item, [&]<class Item>(Type<Item>) {
    using Aliased [[gnu::may_alias]] = Item;
    gather_items(static_cast<Aliased*>(to), static_cast<const Aliased*>(from), block);
  });
}

void scatter(int item, void* to, const void* from, const Rectangle& block) noexcept {
  visit_item(item, [&]<class Item>(Type<Item>) {
    using Aliased [[gnu::may_alias]] = Item;
    scatter_items(static_cast<Aliased*>(to), static_cast<const Aliased*>(from), block);
  });
}

void run(const Elementwise& op, const View& out, const View* const* in) {
  if (out.count == 0) return;
  LoopPlan whole;
  make_plan(whole, out, in, op.inputs);
  unsigned scalars;
  const bool direct = is_direct(op, whole.inner(), whole.operands, scalars);
  const bool repeats = whole.dims > 1 && repeats_along_rows(whole.inner(), whole.operands);
  const std::int64_t least_row = op.rows ? least_short_row : scalars != 0 ? own_short_row : own_row;
  const bool by_rows = direct && (whole.dims == 1 || whole.inner().size >= least_row);
  const bool streams = direct && whole.dims == 1 &&
                       out.count * whole.operand[0].item >= machine().streaming_bytes &&
                       !overwrites_an_input(whole);
  const LoopDim& outer = whole.dim[0];
  const bool has_long_places = out.count / outer.size > long_place;
  for_each_part(
      outer.size, part_size(op, out.count / outer.size),
      predicted_ns(static_cast<double>(out.count) * op.element_ns, bytes_of(whole, out.count)),
      [&](std::int64_t first, std::int64_t last) {
        LoopPlan plan = whole.part(first, last);
        if (streams) return run_streaming(op, plan, scalars);
        if (repeats) return run_repeating(op, plan);
        if (!by_rows) return run_tiles(op, plan);
        has_long_places ? run_long_rows(op, plan, scalars) : run_rows(op, plan, scalars);
      });
}

void stream_copy(void* to, const void* from, std::int64_t bytes) {
  auto* target = static_cast<char*>(to);
  auto* source = static_cast<const char*>(from);
  std::int64_t i = smaller(bytes_to_line(target), bytes);
  std::memcpy(target, source, i);
  for (; i + line_bytes <= bytes; i += line_bytes) stream_line(target + i, source + i);
  finish_streaming();
  std::memcpy(target + i, source + i, bytes - i);
}

}  // namespace garboard::kernels::GARBOARD_ISA
