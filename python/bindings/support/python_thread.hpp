// Which threads are Python's own: only those may free memory at once (usmx::is_user_thread).
#pragma once

namespace usmx::bindings {

/// Notes the calling thread, which holds the interpreter lock, as one of the program's if the
/// threading module started it. That module does not know threads of the SYCL runtime on which a
/// consumer releases objects.
void note_python_thread() noexcept;

}  // namespace usmx::bindings
