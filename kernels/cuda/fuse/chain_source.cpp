// A chain as C++: a struct of which chain_kernel.h makes the kernel. Functors and dtypes stand
// there by their places in the roll calls, which are the same for whoever compiles it.
#include "csrc/core/text.h"
#include "kernels/cuda/fuse/chain_form.h"

namespace garboard::kernels::cuda {
namespace {

std::string element(DType dtype) { return text("Element<", static_cast<int>(dtype), ">"); }

/// A line for each input.
template <class Line>
std::string for_each_input(const ChainForm& form, Line line) {
  std::string lines;
  for (std::size_t k = 0; k < form.chain->inputs.size(); ++k) lines += line(k);
  return lines;
}

std::string operand(const FusedChain::Source& source, DType dtype) {
  const int index = source.index;
  switch (source.kind) {
    case FusedChain::Source::Kind::op:
      return text("y", index);
    case FusedChain::Source::Kind::input:
      return text("in.x", index, "[i]");
    case FusedChain::Source::Kind::number:
      return text("of.number<", element(dtype), ">(", index, ")");
  }
  __builtin_unreachable();
}

std::string call(const FusedChain::Op& op) {
  constexpr const char* families[] = {"OfOne", "OfTwo", "OfThree"};
  std::string operands;
  for (int k = 0; k < op.operands; ++k)
    operands += text(k ? ", " : "", operand(op.sources[k], op.dtype));
  return text(families[op.operands - 1], "<", static_cast<int>(op.functor), ", ",
              static_cast<int>(op.dtype), ">{}(", operands, ")");
}

std::string result(const ChainForm& form) {
  std::string lines;
  const std::size_t last = form.chain->ops.size() - 1;
  for (std::size_t i = 0; i < last; ++i)
    lines += text("    const auto y", i, " = of.apart(", call(form.chain->ops[i]), ");\n");
  return lines + text("    return ", call(form.chain->ops[last]), ";\n");
}

}  // namespace

std::string chain_source(const ChainForm& form) {
  const FusedChain& chain = *form.chain;
  const auto is_true = [](bool is) { return is ? "true" : "false"; };
  return text(
      "#include \"kernels/cuda/fuse/chain_kernel.h\"\n\n"
      "namespace garboard::kernels::cuda {\n\n"
      "struct Chain {\n"
      "  using Out = ",
      element(chain.out.dtype), ";\n  static constexpr int inputs = ", chain.inputs.size(),
      ", numbers = ", chain.numbers.size(), ", elements = ", form.elements,
      ", packs = ", form.packs, ";\n  static constexpr bool is_flat = ", is_true(form.is_flat),
      ", is_unrolled = ", is_true(form.is_unrolled),
      ";\n  using Arguments = ChainArguments<inputs, numbers>;\n\n"
      "  template <int elements>\n"
      "  struct Inputs {\n",
      for_each_input(form,
                     [&](std::size_t k) {
                       return text("    ElementPack<", element(chain.inputs[k].dtype),
                                   ", elements> x", k, ";\n");
                     }),
      "    GARBOARD_HD void load(const Arguments& of, const std::int64_t* at, std::int64_t i) {\n",
      for_each_input(form,
                     [&](std::size_t k) {
                       return text("      load_input<", is_true(form.repeats[k]), ">(x", k,
                                   ", of.in[", k, "], at[", k, "]", form.repeats[k] ? "" : " + i",
                                   ");\n");
                     }),
      "    }\n"
      "    GARBOARD_HD void pass_on() {\n",
      for_each_input(
          form, [](std::size_t k) { return text("      x", k, ".pass_on(x", k, ".item[0]);\n"); }),
      "    }\n"
      "  };\n\n"
      "  template <class In>\n"
      "  GARBOARD_HD static Out result(const Arguments& of, const In& in, int i) {\n",
      result(form),
      "  }\n"
      "};\n\n"
      "}  // namespace garboard::kernels::cuda\n\n"
      "extern \"C\" __global__ void __launch_bounds__(256) chain(\n"
      "    const __grid_constant__ garboard::kernels::cuda::Chain::Arguments of) {\n"
      "  using namespace garboard::kernels::cuda;\n"
      "  run_chain<Chain>(of, blockIdx.x, threadIdx.x);\n"
      "}\n");
}

}  // namespace garboard::kernels::cuda
