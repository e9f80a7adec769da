#include "python/bindings/context/generator_scopes.h"

#include <string>

#include "csrc/core/text.h"
#include "python/bindings/interpreter/birth_site.h"
#include "python/bindings/interpreter/errors.h"
#include "python/bindings/interpreter/file_names.h"
#include "python/bindings/interpreter/gil.h"
#include "python/bindings/interpreter/interpreter_frame.h"
#include "python/bindings/interpreter/ref.h"
#include "python/bindings/interpreter/unicode.h"

namespace garboard::python {
namespace {

constexpr int any_generator = CO_GENERATOR | CO_ASYNC_GENERATOR;
constexpr int resumable = any_generator | CO_COROUTINE | CO_ITERABLE_COROUTINE;

const InterpreterFrame* next_python_frame(const InterpreterFrame* frame) {
  while (frame && !runs_python(frame)) frame = frame->previous;
  return frame;
}
const InterpreterFrame* caller_of(const InterpreterFrame* frame) {
  return next_python_frame(frame->previous);
}

bool has_flag(const InterpreterFrame* frame, int flags) { return code_of(frame)->co_flags & flags; }

std::string module_of(const InterpreterFrame* frame) {
  PyObject* const name = PyDict_GetItemString(frame->f_globals, "__name__");  // borrowed
  return name && PyUnicode_Check(name) ? text_or_mark(name) : "";
}

/// Whoever resumes a generator between opening and closing a scope on purpose: what makes context
/// managers of generators, and what makes fixtures of them.
bool is_between_on_purpose(const InterpreterFrame* frame) {
  const std::string module = module_of(frame);
  return module == "contextlib" || module.starts_with("_pytest.") ||
         module.starts_with("pluggy.") || module.starts_with("pytest_asyncio.") ||
         module == "anyio.pytest_plugin";
}

/// The generator may delegate to another (`yield from`), and be awaited by coroutines.
bool is_resumed_on_purpose(const InterpreterFrame* generator) {
  for (const InterpreterFrame* frame = caller_of(generator); frame; frame = caller_of(frame)) {
    if (is_between_on_purpose(frame)) return true;
    if (!has_flag(frame, resumable)) return false;
  }
  return false;
}

bool is_suspended(PyObject* generator) {
  const auto* const plain = reinterpret_cast<PyGenObject*>(generator);
  if (plain->gi_frame_state == FRAME_EXECUTING) return false;
  // An asynchronous one that awaits is not executing, and not with its consumer either.
  return !PyAsyncGen_CheckExact(generator) ||
         !reinterpret_cast<PyAsyncGenObject*>(generator)->ag_running_async;
}

/// How many frames of Python lie between here and the user's line, from 1.
int stack_level_of_user(PyThreadState* thread) {
  int level = 1;
  const InterpreterFrame* frame = next_python_frame(innermost_frame(thread));
  for (; frame && is_library(code_of(frame)); frame = caller_of(frame)) ++level;
  return level;
}

class GeneratorObserver final : public BirthObserver {
 public:
  GeneratorObserver(Ref generator, Site opened)
      : generator_(std::move(generator)), opened_(opened) {}
  // The last share may go on a thread without the GIL, and after the interpreter.
  ~GeneratorObserver() override {
    if (const WithGil gil; !gil)
      static_cast<void>(generator_.release());
    else
      generator_ = Ref();
  }

  void after_birth(DisposeScope& scope) override {
    const Ref generator = living(generator_.get());
    if (generator && !is_suspended(generator.get())) return;
    scope.stop_observing();  // once; and what the warning runs may make tensors
    if (!generator) return;
    const SiteText opened = text_of(opened_);
    const std::string name = scope.name().empty() ? "a scope" : text("scope \"", scope.name(), '"');
    const std::string message =
        text("dispose_scope: ", name, ", opened by the generator ", opened.function, "() at ",
             shown_file(opened.file), ":", opened.line,
             ", is open across a yield and will end what its "
             "consumer makes here; close it before each yield, and move what is yielded out first "
             "(scope.move_to_outer)");
    if (PyErr_WarnEx(open_scope_warning(), message.c_str(),
                     stack_level_of_user(PyThreadState_Get())) < 0)
      throw PythonErrorSet();
  }

 private:
  Ref generator_;  // weak: a scope must not keep alive what is to close it
  Site opened_;
};

/// `frame` opens the scope; null where no Python runs.
[[gnu::noinline]] void observe(DisposeScope& scope, const InterpreterFrame* frame) {
  while (frame && has_flag(frame, CO_COROUTINE) && is_library(code_of(frame)))  // `async with`
    frame = caller_of(frame);
  if (!frame || !has_flag(frame, any_generator) || is_resumed_on_purpose(frame)) return;
  PyObject* const generator = generator_around(const_cast<InterpreterFrame*>(frame));
  scope.observe(Counted<BirthObserver>(
      new GeneratorObserver(Ref(checked(PyWeakref_NewRef(generator, nullptr))), current_site())));
}

}  // namespace

void observe_if_a_generator_opens(DisposeScope& scope) {
  const InterpreterFrame* const frame = innermost_frame(PyThreadState_Get());
  if (frame && runs_python(frame) && !has_flag(frame, resumable)) [[likely]]
    return;
  observe(scope, next_python_frame(frame));
}

}  // namespace garboard::python
