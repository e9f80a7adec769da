#include "kernels/cuda/fuse/chain_form.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "kernels/cuda/fuse/chain_arguments.h"
#include "kernels/cuda/launch/offsets.h"
#include "kernels/functors/binary.h"
#include "kernels/functors/effort.h"
#include "kernels/functors/ternary.h"
#include "kernels/functors/unary.h"

namespace garboard::kernels::cuda {
namespace {

static_assert(chain_dims == max_dims);

std::int64_t item_of(DType dtype) { return static_cast<std::int64_t>(item_size(dtype)); }

template <class Functors>
constexpr auto efforts = [] {
  std::array<functors::Effort, Functors::size> all{};
  for_each_type(Functors{}, [&]<class F> { all[index_in<F, Functors>] = functors::effort_of<F>; });
  return all;
}();

bool is_laborious(const FusedChain::Op& op) {
  const functors::Effort effort = op.operands == 1 ? efforts<functors::UnaryFunctors>[op.functor]
                                  : op.operands == 2
                                      ? efforts<functors::BinaryFunctors>[op.functor]
                                      : efforts<functors::TernaryFunctors>[op.functor];
  return effort == functors::Effort::many;
}

/// Whether all of `nest` can be read and written by packs of `elements`.
bool goes_by_packs(const ChainNest& nest, int elements) {
  const auto suits = [&](const void* data, DType dtype) {
    return reinterpret_cast<std::uintptr_t>(data) %
               static_cast<std::uintptr_t>(elements * item_of(dtype)) ==
           0;
  };
  if (!suits(nest.out, nest.chain->out.dtype)) return false;
  if (nest.dims > 1 && nest.inner().size % elements != 0) return false;
  for (std::size_t k = 0; k < nest.chain->inputs.size(); ++k) {
    const std::int64_t stride = nest.inner().strides[k];
    if (stride == 0) continue;
    if (stride != 1 || !suits(nest.in[k], nest.chain->inputs[k].dtype)) return false;
    for (int d = 0; d < nest.dims - 1; ++d)
      if (nest.dim[d].strides[k] % elements != 0) return false;
  }
  return true;
}

}  // namespace

ChainNest::ChainNest(const FusedChain& chain) : chain(&chain), out(chain.out.as<char>()) {
  for (std::size_t k = 0; k < chain.inputs.size(); ++k) in[k] = chain.inputs[k].as<char>();
  for (int d = 0; d < chain.out.ndim(); ++d) {
    if (chain.out.sizes[d] == 1) continue;
    Dim& added = dim[dims++];
    added.size = chain.out.sizes[d];
    for (std::size_t k = 0; k < chain.inputs.size(); ++k)
      added.strides[k] = is_single(chain.inputs[k]) ? 0 : chain.inputs[k].strides[d];
  }
  coalesce();
  if (dims == 0) dim[dims++] = {1, {}};
}

void ChainNest::coalesce() {
  int last = 0;
  for (int d = 1; d < dims; ++d) {
    bool continues = true;
    for (std::size_t k = 0; k < chain->inputs.size(); ++k)
      continues &= dim[last].strides[k] == dim[d].strides[k] * dim[d].size;
    const std::int64_t size = continues ? dim[last].size * dim[d].size : dim[d].size;
    if (!continues) ++last;
    dim[last] = dim[d];
    dim[last].size = size;
  }
  if (dims > 0) dims = last + 1;
}

std::int64_t ChainNest::count() const {
  std::int64_t count = 1;
  for (int d = 0; d < dims; ++d) count *= dim[d].size;
  return count;
}

std::vector<ChainNest> ChainNest::parts(std::int64_t most) const {
  if (count() <= most) return {*this};
  std::vector<ChainNest> all;
  const std::int64_t inside = count() / dim[0].size,
                     step = std::max<std::int64_t>(most / inside, 1);
  for (std::int64_t from = 0; from < dim[0].size; from += step) {
    ChainNest part = *this;
    part.dim[0].size = std::min(step, dim[0].size - from);
    part.out += from * inside * item_of(chain->out.dtype);
    for (std::size_t k = 0; k < chain->inputs.size(); ++k)
      part.in[k] += from * dim[0].strides[k] * item_of(chain->inputs[k].dtype);
    if (part.dim[0].size == 1 && part.dims > 1)
      std::copy(part.dim + 1, part.dim + part.dims--, part.dim);
    for (ChainNest& smaller : part.parts(most)) all.push_back(smaller);
  }
  return all;
}

// Where arithmetic counts for much, a thread has one pack, which is enough to keep memory busy; and
// where its code is long, that stands in the kernel once.
ChainForm::ChainForm(const ChainNest& nest) : chain(nest.chain), is_flat(nest.dims == 1) {
  constexpr int most_unrolled = 4;
  const auto laborious = std::ranges::count_if(chain->ops, is_laborious);
  std::int64_t item = item_of(chain->out.dtype);
  for (const View& input : chain->inputs) item = std::max(item, item_of(input.dtype));
  is_unrolled = laborious <= most_unrolled;
  packs = laborious == 0 ? 2 : 1;
  elements = static_cast<int>(16 / item);
  if (!is_unrolled) elements = std::min(elements, 4);
  if (!goes_by_packs(nest, elements)) {
    packs = is_unrolled ? packs * std::min(elements, 2) : 1;
    elements = 1;
  }
  for (std::size_t k = 0; k < chain->inputs.size(); ++k)
    repeats.push_back(nest.inner().strides[k] == 0);
  if (elements == 1) repeats.assign(repeats.size(), false);  // strides say it
}

std::string ChainForm::key() const {
  std::string key;
  const auto add = [&](auto value) { key.push_back(static_cast<char>(value)); };
  add(is_flat);
  add(elements);
  add(packs);
  add(chain->inputs.size());
  add(chain->numbers.size());
  for (std::size_t k = 0; k < repeats.size(); ++k) {
    add(chain->inputs[k].dtype);
    add(repeats[k]);
  }
  for (const FusedChain::Op& op : chain->ops) {
    add(op.operands);
    add(op.functor);
    add(op.dtype);
    add(op.result);
    for (int k = 0; k < op.operands; ++k) {
      add(op.sources[k].kind);
      add(op.sources[k].index);
    }
  }
  return key;
}

ChainLaunch::ChainLaunch(const ChainNest& nest, const ChainForm& form) {
  const FusedChain& chain = *nest.chain;
  const std::size_t inputs = chain.inputs.size();
  ChainShape shape{};
  shape.dims = nest.dims;
  shape.count = static_cast<std::uint32_t>(nest.count() / form.elements);
  if (form.is_flat) shape.rest = static_cast<std::uint32_t>(nest.count() % form.elements);
  std::vector<std::int64_t> strides(chain_dims * inputs);
  for (int d = 0; d < nest.dims; ++d) {
    const ChainNest::Dim& dim = nest.dim[nest.dims - 1 - d];
    const std::int64_t size = d == 0 ? dim.size / form.elements : dim.size;
    shape.size[d] = Divider(std::max(static_cast<std::uint32_t>(size), 1U));
    for (std::size_t k = 0; k < inputs; ++k)
      strides[static_cast<std::size_t>(d) * inputs + k] =
          dim.strides[k] * (d == 0 ? form.elements : 1);
  }
  const auto word_of = [](const void* address) { return reinterpret_cast<std::uint64_t>(address); };
  arguments.resize(sizeof shape / 8);
  std::memcpy(arguments.data(), &shape, sizeof shape);
  arguments.push_back(word_of(nest.out));
  arguments.push_back(0);
  for (std::size_t k = 0; k < inputs; ++k) arguments.push_back(word_of(nest.in[k]));
  for (const std::int64_t stride : strides) arguments.push_back(static_cast<std::uint64_t>(stride));
  arguments.insert(arguments.end(), chain.numbers.begin(), chain.numbers.end());
  arguments.push_back(0);
  blocks = divided_up(std::int64_t{shape.count} + (shape.rest > 0), chain_threads * form.packs);
}

}  // namespace garboard::kernels::cuda
