// Factors of matrices and what is solved with them, as garboard.linalg calls them: each is told
// which function of its was called.
#include <string>
#include <unordered_set>

#include "csrc/ops/composite/elementwise.h"
#include "csrc/ops/linear_algebra/solve.h"
#include "csrc/ops/linear_algebra/spectrum.h"
#include "python/bindings/call/methods.h"

namespace garboard::python {
namespace {

namespace docs {

constexpr Doc written{
    .summary = "Write what a function in Python made into what `out=` was given.",
};
constexpr Doc private_part{
    .summary = "Compute a part of garboard.linalg, which documents it.",
};

}  // namespace docs

/// A name that lives as long as the program: graphs keep it.
const char* literal_of(PyObject* op) {
  static auto& known = *new std::unordered_set<std::string>;  // leaked
  return known.insert(text_or_mark(op)).first->c_str();
}

std::vector<Tensor> cholesky_of(const Tensor& input, bool upper, bool checks, PyObject* op) {
  const WithInfos found = cholesky(literal_of(op), input, upper, checks);
  return {found.result, found.infos};
}
std::vector<Tensor> lu_of(const Tensor& input, bool checks, PyObject* op) {
  const LuFactors found = lu_factor(literal_of(op), input, checks);
  return {found.lu, found.pivots, found.infos};
}
std::vector<Tensor> solution_of(const Tensor& input, const Tensor& other, bool checks,
                                PyObject* op) {
  const WithInfos found = solve(literal_of(op), input, other, checks);
  return {found.result, found.infos};
}
std::vector<Tensor> signed_logarithm_of(const Tensor& input, PyObject* op) {
  const SignAndLogarithm found = slogdet(literal_of(op), input);
  return {found.sign, found.logarithm};
}
std::vector<Tensor> qr_of(const Tensor& input, PyObject* given, PyObject* op) {
  const std::string mode = text_or_mark(given);
  const QrFactors found = qr(literal_of(op), input,
                             mode == "complete" ? QrMode::complete
                             : mode == "r"      ? QrMode::r
                                                : QrMode::reduced);
  return {found.q, found.r};
}
std::vector<Tensor> eigenpairs_of(const Tensor& input, bool upper, bool vectors, PyObject* op) {
  const Eigenpairs found = eigh(literal_of(op), input, upper, vectors);
  return vectors ? std::vector<Tensor>{found.values, found.vectors}
                 : std::vector<Tensor>{found.values};
}
std::vector<Tensor> complex_eigenpairs_of(const Tensor& input, bool vectors, PyObject* op) {
  const Eigenpairs found = eig(literal_of(op), input, vectors);
  return vectors ? std::vector<Tensor>{found.values, found.vectors}
                 : std::vector<Tensor>{found.values};
}
std::vector<Tensor> singular_values_of(const Tensor& input, bool full, bool vectors, PyObject* op) {
  const SingularValues found = svd(literal_of(op), input, full, vectors);
  return vectors ? std::vector<Tensor>{found.u, found.s, found.vh} : std::vector<Tensor>{found.s};
}

constexpr Place place = Place::functional;

constexpr std::array linear_algebra_rows{
    bind(
        "_written", "out: Tensor, result: Tensor, op: str", docs::written,
        [](const Tensor& out, const Tensor& result, PyObject* op) {
          composite::write_made(literal_of(op), out, result, false);
          return Itself();
        },
        place, "Tensor"),
    bind("_linalg_cholesky", "input: Tensor, upper: bool, checks: bool, op: str",
         docs::private_part, fn<cholesky_of>, place),
    bind("_linalg_lu", "input: Tensor, checks: bool, op: str", docs::private_part, fn<lu_of>,
         place),
    bind(
        "_linalg_lu_places", "pivots: Tensor, rows: int, op: str", docs::private_part,
        [](const Tensor& pivots, std::int64_t rows, PyObject* op) {
          return lu_places(literal_of(op), pivots, rows);
        },
        place),
    bind("_linalg_solve", "input: Tensor, other: Tensor, checks: bool, op: str", docs::private_part,
         fn<solution_of>, place),
    bind(
        "_linalg_solve_triangular",
        "input: Tensor, other: Tensor, upper: bool, left: bool, unitriangular: bool, op: str",
        docs::private_part,
        [](const Tensor& input, const Tensor& other, bool upper, bool left, bool unitriangular,
           PyObject* op) {
          return solve_triangular(literal_of(op), input, other, upper, left, unitriangular);
        },
        place),
    bind(
        "_linalg_cholesky_solve", "input: Tensor, other: Tensor, op: str", docs::private_part,
        [](const Tensor& input, const Tensor& other, PyObject* op) {
          return cholesky_solve(literal_of(op), input, other);
        },
        place),
    bind(
        "_linalg_det", "input: Tensor, op: str", docs::private_part,
        [](const Tensor& input, PyObject* op) { return det(literal_of(op), input); }, place),
    bind("_linalg_slogdet", "input: Tensor, op: str", docs::private_part, fn<signed_logarithm_of>,
         place),
    bind("_linalg_qr", "input: Tensor, mode: str, op: str", docs::private_part, fn<qr_of>, place),
    bind("_linalg_eig", "input: Tensor, vectors: bool, op: str", docs::private_part,
         fn<complex_eigenpairs_of>, place),
    bind("_linalg_eigh", "input: Tensor, upper: bool, vectors: bool, op: str", docs::private_part,
         fn<eigenpairs_of>, place),
    bind("_linalg_svd", "input: Tensor, full: bool, vectors: bool, op: str", docs::private_part,
         fn<singular_values_of>, place),
    bind(
        "_linalg_pinv", "input: Tensor, found: Tensor, op: str", docs::private_part,
        [](const Tensor& input, const Tensor& found, PyObject* op) {
          return pseudo_inverse(literal_of(op), input, found);
        },
        place),
};

}  // namespace

void add_linear_algebra_functions() { add_table<linear_algebra_rows>(); }

}  // namespace garboard::python
