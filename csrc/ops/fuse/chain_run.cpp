#include "csrc/ops/fuse/chain_run.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <new>
#include <optional>

#include "csrc/core/interruption.h"
#include "csrc/core/machine.h"
#include "csrc/core/outer_lock.h"
#include "csrc/core/thread_pool.h"
#include "csrc/ops/fuse/chain_layout.h"
#include "csrc/ops/fuse/chain_pieces.h"
#include "csrc/ops/op/destination.h"
#include "kernels/past_cache.h"
#include "kernels/table.h"

namespace garboard {
namespace {

/// Runs a program over pieces, on any thread.
class PieceRun {
 public:
  /// To `out`, which takes `dtype`; null where the results are asked for by `bring`.
  PieceRun(const ChainProgram& program, const ChainLayout& layout, DType dtype, void* out)
      : program_(program),
        layout_(layout),
        out_(make_view(out, dtype, layout.sizes, contiguous_strides(layout.sizes))),
        table_(kernels::cpu_table()),
        is_asked_(!out) {
    is_streamed_ = !is_asked_ && out_.count * static_cast<std::int64_t>(item_size(dtype)) >=
                                     machine().streaming_bytes;
    assign_slots();
    make_numbers();
  }

  void run() const {
    const std::int64_t elements = layout_.is_flat ? dense_piece : other_piece;
    const ChainPieces pieces(layout_.sizes, elements);
    const double cost = std::max(static_cast<double>(out_.count) * element_ns(),
                                 static_cast<double>(bytes()) * machine().memory_byte_ns);
    const OuterLock::Away away(cost);
    struct Work {
      const PieceRun& run;
      const ChainPieces& pieces;
      std::int64_t per_chunk;
    } work{*this, pieces, std::max(chunk / elements, pieces.count >> 19)};
    const Chunks chunks{(pieces.count + work.per_chunk - 1) / work.per_chunk,
                        [](void* context, std::int64_t chunk) {
                          const auto& [run, pieces, per_chunk] = *static_cast<Work*>(context);
                          interruption_point();
                          run.some(pieces, chunk * per_chunk,
                                   std::min(pieces.count, (chunk + 1) * per_chunk));
                        },
                        &work};
    is_worth_splitting(cost) ? run_chunks(chunks) : run_alone(chunks);
  }

  /// What the chain would be, to be computed as it is wanted.
  Brought brought() {
    return {layout_.sizes,
            out_.dtype,
            element_ns(),
            bytes(),
            [](void* context, std::int64_t first, std::int64_t count, void* to) {
              static_cast<const PieceRun*>(context)->bring(first, count, static_cast<char*>(to));
            },
            this};
  }

 private:
  /// Where all is dense, operands of a piece and what lies between fit into the first cache; else a
  /// call of a kernel costs more. Of 16 million floats `(a + b) * a - b` took 1.26 times what
  /// `a + b` did by 1,024.
  static constexpr std::int64_t dense_piece = 1024, other_piece = 8192, chunk = 1 << 16;
  /// Where the pieces are not those of what is asked for, some at its ends are computed twice.
  static constexpr std::int64_t asked_piece = 2048;
  static constexpr double op_element_ns = 0.15;

  double element_ns() const { return static_cast<double>(program_.ops.size()) * op_element_ns; }
  /// What all of it reads and writes.
  std::int64_t bytes() const {
    const auto of = [&](const View& view) {
      return out_.count * static_cast<std::int64_t>(item_size(view.dtype));
    };
    std::int64_t bytes = is_asked_ ? 0 : of(out_);
    for (const View& view : layout_.views)
      if (view.count != 1) bytes += of(view);
    return bytes;
  }

  void bring(std::int64_t first, std::int64_t count, char* to) const {
    if (layout_.is_flat) return bring_flat(first, count, to);
    const ChainPieces pieces(layout_.sizes, asked_piece);
    const auto item = static_cast<std::int64_t>(item_size(out_.dtype));
    const std::int64_t end = first + count;
    some(pieces, pieces.piece_of(first), pieces.piece_of(end - 1) + 1,
         [&](std::int64_t at, const View& made) {
           const std::int64_t from = std::max(at, first), until = std::min(at + made.count, end);
           std::memcpy(to + (from - first) * item, made.as<char>() + (from - at) * item,
                       static_cast<std::size_t>((until - from) * item));
         });
  }

  /// Written where it is wanted: any stretch is made of pieces.
  void bring_flat(std::int64_t first, std::int64_t count, char* to) const {
    const ChainPieces pieces(layout_.sizes, dense_piece);
    const Slots slots = make_slots(pieces);
    std::vector<Place> all;
    std::int64_t length = -1;
    const auto item = static_cast<std::int64_t>(item_size(out_.dtype));
    for (std::int64_t at = first; at < first + count; at += dense_piece) {
      const ChainPieces::Piece piece{0, at, std::min(dense_piece, first + count - at)};
      char* const result = to + (at - first) * item;
      if (piece.length == length) {
        move(all, pieces, piece, result);
      } else {
        length = piece.length;
        all = places(pieces, piece, slots.get(),
                     make_view(result, out_.dtype, Dims{length}, Dims{1}));
      }
      for (std::size_t k = 0; k < all.size(); ++k) compute(program_.ops[k], all[k]);
    }
  }

  /// Where each op writes: a slot that no later op reads any more, -1 for the result itself. An op
  /// may write over what it reads last.
  void assign_slots() {
    const int count = static_cast<int>(program_.ops.size());
    std::vector<int> last_use(static_cast<std::size_t>(count), count);
    for (int i = 0; i < count; ++i)
      for_each_read(i, [&](int read) { last_use[static_cast<std::size_t>(read)] = i; });
    std::vector<int> free;
    for (int i = 0; i < count; ++i) {
      const auto& op = program_.ops[static_cast<std::size_t>(i)];
      slot_bytes_ = std::max(slot_bytes_, static_cast<std::int64_t>(item_size(op.result)));
      std::vector<int> over, later;
      for_each_read(i, [&](int read) {
        if (last_use[static_cast<std::size_t>(read)] != i) return;
        last_use[static_cast<std::size_t>(read)] = count;  // read twice, it is freed once
        const bool fits =
            item_size(program_.ops[static_cast<std::size_t>(read)].result) == item_size(op.result);
        (fits ? over : later).push_back(slots_[static_cast<std::size_t>(read)]);
      });
      free.insert(free.end(), over.begin(), over.end());
      if (i + 1 == count && !is_streamed_ && (layout_.is_flat || !is_asked_)) {
        slots_.push_back(-1);
      } else if (free.empty()) {
        slots_.push_back(slot_count_++);
      } else {
        slots_.push_back(free.back());
        free.pop_back();
      }
      free.insert(free.end(), later.begin(), later.end());
    }
  }
  template <class Visit>
  void for_each_read(int op, Visit visit) const {
    const auto& it = program_.ops[static_cast<std::size_t>(op)];
    for (int k = 0; k < it.op->operand_count(); ++k)
      if (it.sources[k].kind == ChainSource::Kind::op) visit(it.sources[k].index);
  }

  /// As an op of its own has them: beside a half type in float, except where it compares.
  void make_numbers() {
    numbers_.resize(program_.ops.size());
    for (std::size_t i = 0; i < program_.ops.size(); ++i) {
      const auto& op = program_.ops[i];
      const bool is_widened = op.op->binary && !op.op->kernel().gives_bool;
      for (int k = 0; k < op.op->operand_count(); ++k) {
        if (op.sources[k].kind != ChainSource::Kind::number) continue;
        numbers_[i][k].emplace(program_.numbers[static_cast<std::size_t>(op.sources[k].index)],
                               is_widened ? widened(op.dtype) : op.dtype);
      }
    }
  }

  /// Views of one thread: made once for pieces of one size, moved along from piece to piece.
  struct Place {
    View out, in[3];
    int input[3];  // which one moves with the piece; -1: none
  };

  std::vector<Place> places(const ChainPieces& pieces, const ChainPieces::Piece& piece, char* slots,
                            const View& result) const {
    const Dims sizes = pieces.part_sizes(piece), strides = contiguous_strides(sizes);
    const auto in_slot = [&](int slot, DType dtype) {
      return make_view(slots + slot * slot_bytes_ * room(pieces), dtype, sizes, strides);
    };
    std::vector<Place> all(program_.ops.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto& op = program_.ops[i];
      Place& place = all[i];
      place.out = slots_[i] < 0 ? result : in_slot(slots_[i], op.result);
      for (int k = 0; k < op.op->operand_count(); ++k) {
        const auto [kind, index] = op.sources[k];
        const auto at = static_cast<std::size_t>(index);
        place.input[k] = -1;
        if (kind == ChainSource::Kind::op) {
          place.in[k] = in_slot(slots_[at], program_.ops[at].result);
        } else if (kind == ChainSource::Kind::number) {
          place.in[k] = numbers_[i][k]->view();
        } else if (layout_.views[at].count == 1) {
          place.in[k] = layout_.views[at];
        } else {
          place.in[k] = pieces.part(layout_.views[at], piece);
          place.input[k] = index;
        }
      }
    }
    return all;
  }
  using Slots = std::unique_ptr<char, void (*)(char*)>;
  Slots make_slots(const ChainPieces& pieces) const {
    const auto bytes = static_cast<std::size_t>(slot_count_ * slot_bytes_ * room(pieces) + 1);
    return {static_cast<char*>(::operator new(bytes, std::align_val_t(64))),
            [](char* at) { ::operator delete(at, std::align_val_t(64)); }};
  }
  static std::int64_t room(const ChainPieces& pieces) {
    std::int64_t inside = pieces.length;
    for (int d = pieces.dim + 1; d < pieces.sizes.size(); ++d) inside *= pieces.sizes[d];
    return (inside + 63) & ~std::int64_t{63};
  }

  void some(const ChainPieces& pieces, std::int64_t first, std::int64_t last) const {
    if (!is_streamed_) return some(pieces, first, last, [](std::int64_t, const View&) {});
    const auto item = static_cast<std::int64_t>(item_size(out_.dtype));
    some(pieces, first, last, [&](std::int64_t at, const View& made) {
      kernels::copy_past_cache(out_.as<char>() + at * item, made.data, made.count * item);
    });
    kernels::finish_past_cache();
  }

  /// `send` gets what was made of each piece, and where it begins among all elements.
  template <class Send>
  void some(const ChainPieces& pieces, std::int64_t first, std::int64_t last, Send send) const {
    const Slots slots = make_slots(pieces);
    std::vector<Place> all;
    std::int64_t length = -1;
    for (std::int64_t i = first; i < last; ++i) {
      const ChainPieces::Piece piece = pieces[i];
      if (piece.length == length) {
        move(all, pieces, piece, out_.data ? at_offset(out_, pieces, piece) : nullptr);
      } else {
        length = piece.length;
        all = places(pieces, piece, slots.get(), out_.data ? pieces.part(out_, piece) : View());
      }
      for (std::size_t k = 0; k < all.size(); ++k) compute(program_.ops[k], all[k]);
      send(pieces.offset(out_, piece), all.back().out);
    }
  }

  static char* at_offset(const View& whole, const ChainPieces& pieces,
                         const ChainPieces::Piece& piece) {
    return whole.as<char>() +
           pieces.offset(whole, piece) * static_cast<std::int64_t>(item_size(whole.dtype));
  }

  void move(std::vector<Place>& all, const ChainPieces& pieces, const ChainPieces::Piece& piece,
            void* result) const {
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (slots_[i] < 0) all[i].out.data = result;
      for (int k = 0; k < program_.ops[i].op->operand_count(); ++k) {
        if (all[i].input[k] >= 0)
          all[i].in[k].data =
              at_offset(layout_.views[static_cast<std::size_t>(all[i].input[k])], pieces, piece);
      }
    }
  }

  void compute(const ChainProgram::Op& op, const Place& at) const {
    const int index = op.op->kernel().index;
    if (op.op->unary) return table_.unary[index](at.out, at.in[0], {});
    if (op.op->binary) return table_.binary[index](at.out, at.in[0], at.in[1], {});
    table_.ternary[index](at.out, at.in[0], at.in[1], at.in[2], {});
  }

  const ChainProgram& program_;
  const ChainLayout& layout_;
  const View out_;
  const kernels::Table& table_;
  std::vector<int> slots_;  // of the ops
  int slot_count_ = 0;
  std::int64_t slot_bytes_ = 1;  // an element's
  bool is_asked_ = false;
  bool is_streamed_ = false;
  std::deque<std::array<std::optional<ScalarView>, 3>> numbers_;
};

}  // namespace

Tensor run_pieces(const ChainProgram& program) {
  const ChainProgram::Op& last = program.ops.back();
  const ChainLayout layout(program);
  const bool is_by_rows = layout.strides == contiguous_strides(program.sizes);
  Tensor out = is_by_rows ? result_of(last.op->name(), program.sizes, last.result, {})
                          : Tensor::fresh(program.sizes, last.result, {}, last.op->name());
  if (!is_by_rows) out.body()->lay_out(program.sizes, layout.strides, 0);
  PieceRun(program, layout, last.result, out.data()).run();
  return out;
}

Tensor run_closed(const ChainProgram& program, const Closing& closing) {
  const ChainLayout layout(program);
  PieceRun run(program, layout, program.ops.back().result, nullptr);
  return closing.of_brought(run.brought());
}

}  // namespace garboard
