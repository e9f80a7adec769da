// Binds the calling thread's scope statistics.
#include <pybind11/pybind11.h>

#include "csrc/lifetime/scope_statistics.h"
#include "python/bindings/wrapped/bindings.h"

namespace py = pybind11;

namespace garboard::python {
namespace {

/// A live view: every read asks the thread it was taken on, which its counters may outlive.
class StatisticsView {
 public:
  enum class Part { total, tensors, packed_sequences };
  StatisticsView(ThreadStatistics* statistics, Part part) : of(statistics), part(part) {
    ++of->reader_count;
  }
  StatisticsView(const StatisticsView& other) : StatisticsView(other.of, other.part) {}
  StatisticsView& operator=(const StatisticsView&) = delete;
  ~StatisticsView() { --of->reader_count; }

  ScopeCounters read() const {
    if (part == Part::total) return of->tensors + of->packed_sequences;
    return part == Part::tensors ? of->tensors : of->packed_sequences;
  }
  void reset() const {
    if (part != Part::packed_sequences) of->tensors.reset();
    if (part != Part::tensors) of->packed_sequences.reset();
  }

  ThreadStatistics* const of;
  const Part part;
};

template <auto member>
std::int64_t field(const StatisticsView& view) {
  return view.read().*member;
}

}  // namespace

void bind_statistics(py::module_& m) {
  using Part = StatisticsView::Part;
  py::class_<StatisticsView>(m, "DisposeScopeStatistics",
                             R"(Counters of what a thread made and ended, in scopes and outside.

They belong to the thread that created a thing, wherever it ends. What is in scopes is what was
created in them and attached, less what was disposed in them and detached. Moving between scopes
counts nothing. `str()` is one line.
)")
      .def_property_readonly("created_outside_scope_count",
                             &field<&ScopeCounters::created_outside_scope_count>,
                             "How many were created outside every scope.")
      .def_property_readonly("disposed_outside_scope_count",
                             &field<&ScopeCounters::disposed_outside_scope_count>,
                             "How many ended, disposed or finalized, while they were in no scope.")
      .def_property_readonly("created_in_scope_count",
                             &field<&ScopeCounters::created_in_scope_count>,
                             "How many were created inside a scope.")
      .def_property_readonly("disposed_in_scope_count",
                             &field<&ScopeCounters::disposed_in_scope_count>,
                             "How many ended, disposed or finalized, while they were in a scope.")
      .def_property_readonly("attached_to_scope_count",
                             &field<&ScopeCounters::attached_to_scope_count>,
                             "How many came from no scope into one.")
      .def_property_readonly("detached_from_scope_count",
                             &field<&ScopeCounters::detached_from_scope_count>,
                             "How many left a scope for none.")
      .def_property_readonly("thread_total_live_count",
                             &field<&ScopeCounters::thread_total_live_count>,
                             "How many that this thread created are alive now; a gauge.")
      .def_property_readonly(
          "tensor_statistics",
          [](const StatisticsView& view) {
            return StatisticsView{view.of, Part::tensors};
          },
          "The tensors' part of the totals.")
      .def_property_readonly(
          "packed_sequence_statistics",
          [](const StatisticsView& view) {
            return StatisticsView{view.of, Part::packed_sequences};
          },
          "The packed sequences' part of the totals.")
      .def("reset", &StatisticsView::reset,
           R"(Zero the counters; `thread_total_live_count`, a gauge, stays.

>>> statistics = gb.dispose_scope_statistics()
>>> statistics.reset()
>>> with gb.dispose_scope():
...     x, y = gb.ones(2), gb.ones(2)
>>> statistics.created_in_scope_count, statistics.disposed_in_scope_count
(2, 2)
)")
      .def("__str__", [](const StatisticsView& view) { return view.read().line(); })
      .def("__repr__", [](const StatisticsView& view) {
        return "DisposeScopeStatistics(" + view.read().line() + ")";
      });
  m.def(
      "dispose_scope_statistics",
      [] {
        return StatisticsView{&thread_statistics(), Part::total};
      },
      R"(Look at what the calling thread made and ended, in scopes and outside.

Returns:
    A live view, DisposeScopeStatistics, good on any thread; of the totals, with the parts of
    tensors and packed sequences below.

>>> statistics = gb.dispose_scope_statistics()
>>> before = statistics.thread_total_live_count
>>> x = gb.ones(2)
>>> statistics.tensor_statistics.thread_total_live_count - before
1
)");
}

}  // namespace garboard::python
