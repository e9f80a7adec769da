#include "csrc/ops/elementwise/chain.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <new>
#include <optional>
#include <unordered_map>

#include "csrc/core/error.h"
#include "csrc/core/interruption.h"
#include "csrc/core/machine.h"
#include "csrc/core/outer_lock.h"
#include "csrc/core/thread_pool.h"
#include "csrc/ops/elementwise/bessel.h"
#include "csrc/ops/elementwise/gamma_integrals.h"
#include "csrc/ops/elementwise/special.h"
#include "csrc/ops/elementwise/ternary.h"
#include "csrc/ops/elementwise/transcendental.h"
#include "csrc/ops/elementwise/unary.h"
#include "csrc/ops/op/promotion.h"
#include "kernels/past_cache.h"
#include "kernels/table.h"

namespace garboard {
namespace {

/// A result below this size stays in the second cache between two ops: nothing is gained.
constexpr std::int64_t least_bytes = std::int64_t{1} << 18;
/// So many ops run as one at most. It bounds how deep steps lie behind each other.
constexpr int most_weight = 64;

using OpsByName = std::unordered_map<std::string_view, ChainOp>;

OpsByName* all_ops() {
  auto* const all = new OpsByName;
  const auto add_all = [&](const auto& ops, auto member) {
    for (const auto* op : ops) {
      ChainOp entry;
      entry.*member = op;
      all->emplace(op->name, entry);
    }
  };
  add_all(unary_ops, &ChainOp::unary);
  add_all(transcendental_ops, &ChainOp::unary);
  add_all(special_ops, &ChainOp::unary);
  add_all(bessel_ops, &ChainOp::unary);
  add_all(tail_ops, &ChainOp::unary);
  add_all(binary_ops, &ChainOp::binary);
  add_all(transcendental_pairs, &ChainOp::binary);
  add_all(special_pairs, &ChainOp::binary);
  add_all(integral_pairs, &ChainOp::binary);
  add_all(ternary_ops, &ChainOp::ternary);
  return all;
}

bool takes_condition(const ChainOp& op) { return op.ternary && op.ternary->takes_condition; }

/// A step that has been made is what it made.
void look_behind(ChainOperand& operand) {
  if (!operand.step || !operand.step->made) return;
  operand.version = operand.step->made_version;
  operand.tensor = operand.step->made;
  operand.step = nullptr;
}

/// Whether pieces of it can be read later: nobody writes there without our knowing.
bool is_ours(const Tensor& tensor) {
  return tensor.device().is_cpu() && !tensor.storage()->is_foreign &&
         tensor.storage()->export_count.load() == 0;
}

/// Sizes and dtypes of a call, or the reason why it runs on its own.
class CallPlan {
 public:
  bool make(const ChainOp& op, std::array<ChainOperand, 3>& operands) {
    for (int k = 0; k < op.operand_count(); ++k) {
      look_behind(operands[k]);
      if (!look_at(operands[k], takes_condition(op) && k == 0)) return false;
    }
    if (!dtype_ || !op.kernel().takes(*dtype_) || !has_tensor_) return false;
    if (has_number_ && !is_floating(*dtype_)) return false;
    return count() * static_cast<std::int64_t>(item_size(*dtype_)) >= least_bytes;
  }

  DType dtype() const { return *dtype_; }
  const Dims& sizes() const { return sizes_; }

 private:
  std::int64_t count() const { return sizes_.product(); }

  bool look_at(ChainOperand& operand, bool is_condition) {
    const bool is_number = !operand.step && !operand.tensor;
    if (is_number) {
      has_number_ = true;
      return !is_condition;
    }
    if (operand.tensor && !is_ours(operand.tensor)) return false;
    const DType dtype = operand.step ? operand.step->result : operand.tensor.dtype();
    const Dims& sizes = operand.step ? operand.step->sizes : operand.tensor.sizes();
    if (is_condition) {
      if (dtype != DType::boolean) return false;
    } else if (dtype_.value_or(dtype) != dtype) {
      return false;
    } else {
      dtype_ = dtype;
    }
    if (!broadcasts(sizes)) return false;
    has_tensor_ = true;
    return true;
  }

  /// The op itself says what does not.
  bool broadcasts(const Dims& sizes) {
    Dims result = sizes_.size() < sizes.size() ? sizes : sizes_;
    for (int k = 1; k <= std::min(sizes.size(), sizes_.size()); ++k) {
      const std::int64_t a = sizes_[sizes_.size() - k], b = sizes[sizes.size() - k];
      if (a != b && a != 1 && b != 1) return false;
      result[result.size() - k] = a == 1 ? b : a;
    }
    sizes_ = result;
    return true;
  }

  std::optional<DType> dtype_;
  Dims sizes_;
  bool has_number_ = false, has_tensor_ = false;
};

std::uint64_t next_number = 0;

void check_version(const ChainStep& step, const ChainOperand& operand) {
  if (!operand.tensor || operand.tensor.storage()->version() == operand.version) return;
  throw VersionError(text(step.op->name(),
                          ": an input was written after the call and before its result was read, "
                          "by what fuse does not see; read the result first, or leave fuse"));
}

/// The steps behind `step` that have yet to run, each once.
void collect(const ChainStep& step, std::vector<const ChainStep*>& all) {
  if (std::ranges::find(all, &step) != all.end()) return;
  all.push_back(&step);
  for (const ChainOperand& operand : step.all())
    if (operand.step && !operand.step->made) collect(*operand.step, all);
}

/// Runs a program over pieces, on any thread.
class PieceRun {
 public:
  PieceRun(const ChainProgram& program, const View& out)
      : program_(program), out_(out), table_(kernels::cpu_table()) {
    is_flat_ = std::ranges::all_of(program.inputs, [&](const Tensor& input) {
      return input.count() == 1 || (input.is_contiguous() && input.sizes() == program.sizes);
    });
    flat_sizes_ = is_flat_ ? Dims{out.count} : program.sizes;
    for (const Tensor& input : program.inputs) views_.push_back(view_of(input));
    out_ = make_view(out.data, out.dtype, flat_sizes_, contiguous_strides(flat_sizes_));
    is_streamed_ =
        out.count * static_cast<std::int64_t>(item_size(out.dtype)) >= machine().streaming_bytes;
    assign_slots();
    make_numbers();
  }

  void run() {
    const std::int64_t elements = is_flat_ ? dense_piece : other_piece;
    const ChainPieces pieces(flat_sizes_, elements);
    std::int64_t bytes = out_.count * static_cast<std::int64_t>(item_size(out_.dtype));
    for (const View& view : views_)
      if (view.count != 1) bytes += out_.count * static_cast<std::int64_t>(item_size(view.dtype));
    const double cost =
        std::max(static_cast<double>(out_.count * static_cast<std::int64_t>(program_.ops.size())) *
                     op_element_ns,
                 static_cast<double>(bytes) * machine().memory_byte_ns);
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

 private:
  /// Where all is dense, operands of a piece and what lies between fit into the first cache; else a
  /// call of a kernel costs more. Of 16 million floats `(a + b) * a - b` took 1.26 times what
  /// `a + b` did by 1,024.
  static constexpr std::int64_t dense_piece = 1024, other_piece = 8192, chunk = 1 << 16;
  static constexpr double op_element_ns = 0.15;

  View view_of(const Tensor& input) const {
    View view = input.view();
    if (view.count == 1) return view;
    if (is_flat_) return make_view(view.data, view.dtype, flat_sizes_, Dims{1});
    return view.sizes == program_.sizes ? view : broadcast_view(view, program_.sizes);
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
      if (i + 1 == count && !is_streamed_) {
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

  std::vector<Place> places(const ChainPieces& pieces, const ChainPieces::Piece& piece,
                            char* slots) const {
    const Dims sizes = pieces.part_sizes(piece), strides = contiguous_strides(sizes);
    const auto in_slot = [&](int slot, DType dtype) {
      return make_view(slots + slot * slot_bytes_ * room(pieces), dtype, sizes, strides);
    };
    std::vector<Place> all(program_.ops.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto& op = program_.ops[i];
      Place& place = all[i];
      place.out = slots_[i] < 0 ? pieces.part(out_, piece) : in_slot(slots_[i], op.result);
      for (int k = 0; k < op.op->operand_count(); ++k) {
        const auto [kind, index] = op.sources[k];
        const auto at = static_cast<std::size_t>(index);
        place.input[k] = -1;
        if (kind == ChainSource::Kind::op) {
          place.in[k] = in_slot(slots_[at], program_.ops[at].result);
        } else if (kind == ChainSource::Kind::number) {
          place.in[k] = numbers_[i][k]->view();
        } else if (views_[at].count == 1) {
          place.in[k] = views_[at];
        } else {
          place.in[k] = pieces.part(views_[at], piece);
          place.input[k] = index;
        }
      }
    }
    return all;
  }
  static std::int64_t room(const ChainPieces& pieces) {
    std::int64_t inside = pieces.length;
    for (int d = pieces.dim + 1; d < pieces.sizes.size(); ++d) inside *= pieces.sizes[d];
    return (inside + 63) & ~std::int64_t{63};
  }

  void some(const ChainPieces& pieces, std::int64_t first, std::int64_t last) const {
    const std::unique_ptr<char, void (*)(char*)> slots(
        static_cast<char*>(
            ::operator new(static_cast<std::size_t>(slot_count_ * slot_bytes_ * room(pieces) + 1),
                           std::align_val_t(64))),
        [](char* at) { ::operator delete(at, std::align_val_t(64)); });
    std::vector<Place> all;
    std::int64_t length = -1;
    for (std::int64_t i = first; i < last; ++i) {
      const ChainPieces::Piece piece = pieces[i];
      if (piece.length == length) {
        move(all, pieces, piece);
      } else {
        all = places(pieces, piece, slots.get());
        length = piece.length;
      }
      for (std::size_t k = 0; k < all.size(); ++k) compute(program_.ops[k], all[k]);
      if (is_streamed_) {
        const View& made = all.back().out;
        const auto item = static_cast<std::int64_t>(item_size(out_.dtype));
        kernels::copy_past_cache(out_.as<char>() + pieces.offset(out_, piece) * item, made.data,
                                 made.count * item);
      }
    }
    if (is_streamed_) kernels::finish_past_cache();
  }

  void move(std::vector<Place>& all, const ChainPieces& pieces,
            const ChainPieces::Piece& piece) const {
    const auto moved = [&](const View& whole) {
      return whole.as<char>() +
             pieces.offset(whole, piece) * static_cast<std::int64_t>(item_size(whole.dtype));
    };
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (slots_[i] < 0) all[i].out.data = moved(out_);
      for (int k = 0; k < program_.ops[i].op->operand_count(); ++k) {
        if (all[i].input[k] >= 0)
          all[i].in[k].data = moved(views_[static_cast<std::size_t>(all[i].input[k])]);
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
  View out_;
  const kernels::Table& table_;
  Dims flat_sizes_;
  bool is_flat_ = false;
  std::vector<View> views_;  // of the inputs
  std::vector<int> slots_;   // of the ops
  int slot_count_ = 0;
  std::int64_t slot_bytes_ = 1;  // an element's
  bool is_streamed_ = false;
  std::deque<std::array<std::optional<ScalarView>, 3>> numbers_;
};

}  // namespace

const ChainOp* find_chain_op(std::string_view name) {
  static const OpsByName& all = *all_ops();
  const auto found = all.find(name);
  return found == all.end() ? nullptr : &found->second;
}

Counted<ChainStep> chain_step(const ChainOp& op, std::array<ChainOperand, 3> operands) {
  CallPlan plan;
  if (!plan.make(op, operands)) return nullptr;
  Counted<ChainStep> step(new ChainStep);
  step->op = &op;
  step->sizes = plan.sizes();
  step->dtype = plan.dtype();
  step->result = op.kernel().gives_bool ? DType::boolean : plan.dtype();
  step->mode = grad_mode;
  bool requires_grad = false;
  for (int k = 0; k < op.operand_count(); ++k) {
    ChainOperand& operand = operands[k];
    if (operand.step) {
      // A step of other sizes, or recorded otherwise, is a tensor of its own first.
      if (operand.step->sizes != step->sizes || operand.step->mode != step->mode) return nullptr;
      step->weight += operand.step->weight;
      requires_grad |= operand.step->requires_grad;
    } else if (operand.tensor) {
      operand.version = operand.tensor.storage()->version();
      requires_grad |= operand.tensor.requires_grad();
    }
  }
  if (step->weight > most_weight) return nullptr;
  step->requires_grad =
      requires_grad && is_grad_enabled() && op.gradient() && is_floating(step->result);
  step->operands = std::move(operands);
  step->number = ++next_number;
  return step;
}

ChainProgram program_of(const ChainStep& last) {
  std::vector<const ChainStep*> steps;
  collect(last, steps);
  std::ranges::sort(steps, {}, &ChainStep::number);
  ChainProgram program;
  program.sizes = last.sizes;
  const auto place_of = [](const auto& all, const auto& it) {
    return static_cast<int>(std::ranges::find(all, it) - all.begin());
  };
  for (const ChainStep* step : steps) {
    ChainProgram::Op op{step->op, step->dtype, step->result, {}};
    for (int k = 0; k < step->op->operand_count(); ++k) {
      ChainOperand operand = step->operands[k];
      look_behind(operand);
      check_version(*step, operand);
      if (operand.step) {
        op.sources[k] = {ChainSource::Kind::op, place_of(steps, operand.step.get())};
      } else if (operand.tensor) {
        op.sources[k] = {ChainSource::Kind::input, place_of(program.inputs, operand.tensor)};
        if (op.sources[k].index == static_cast<int>(program.inputs.size()))
          program.inputs.push_back(operand.tensor);
      } else {
        op.sources[k] = {ChainSource::Kind::number, static_cast<int>(program.numbers.size())};
        program.numbers.push_back(operand.number);
      }
    }
    program.ops.push_back(op);
  }
  return program;
}

Tensor run_chain(const ChainStep& last) {
  const ChainProgram program = program_of(last);
  const Tensor out = Tensor::fresh(last.sizes, last.result, {}, last.op->name());
  PieceRun(program, out.view()).run();
  if (last.requires_grad) record_chain(program, out);
  return out;
}

ChainPieces::ChainPieces(const Dims& sizes, std::int64_t elements) : sizes(sizes) {
  std::int64_t inside = 1;
  dim = sizes.size() - 1;
  while (dim > 0 && inside * sizes[dim] <= elements) inside *= sizes[dim--];
  length = std::clamp<std::int64_t>(elements / inside, 1, sizes[dim]);
  per_line = (sizes[dim] + length - 1) / length;
  count = per_line;
  for (int d = 0; d < dim; ++d) count *= sizes[d];
}

ChainPieces::Piece ChainPieces::operator[](std::int64_t piece) const {
  const std::int64_t first = piece % per_line * length;
  return {piece / per_line, first, std::min(length, sizes[dim] - first)};
}

std::int64_t ChainPieces::offset(const View& whole, const Piece& piece) const {
  std::int64_t offset = piece.first * whole.strides[dim], left = piece.outer;
  for (int d = dim - 1; d >= 0; --d) {
    offset += left % sizes[d] * whole.strides[d];
    left /= sizes[d];
  }
  return offset;
}

Dims ChainPieces::part_sizes(const Piece& piece) const {
  Dims part{piece.length};
  for (int d = dim + 1; d < sizes.size(); ++d) part.push_back(sizes[d]);
  return part;
}

View ChainPieces::part(const View& whole, const Piece& piece) const {
  Dims strides;
  for (int d = dim; d < sizes.size(); ++d) strides.push_back(whole.strides[d]);
  const std::int64_t bytes =
      offset(whole, piece) * static_cast<std::int64_t>(item_size(whole.dtype));
  return make_view(whole.as<char>() + bytes, whole.dtype, part_sizes(piece), strides);
}

}  // namespace garboard
