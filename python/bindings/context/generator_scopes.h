// Scopes that a generator opened: left open across a yield, they adopt what the consumer makes.
#pragma once

#include "csrc/lifetime/dispose_scope.h"

namespace garboard::python {

/// Observes `scope`, which is being opened, where the innermost Python frame outside the library is
/// a generator's: the first birth in it while the generator is suspended warns with
/// OpenScopeWarning, once. A generator that a context manager or a pytest fixture is made of is
/// meant to leave its scope open, and is not observed. Raises PythonErrorSet.
void observe_if_a_generator_opens(DisposeScope& scope);

}  // namespace garboard::python
