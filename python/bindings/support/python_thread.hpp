// Which threads are Python's own: only those may free memory at once (usmx::is_user_thread).
#pragma once

namespace usmx::bindings {

/// Notes the calling thread, which holds the interpreter lock, as somebody's own if the threading
/// module started it. A thread of the SYCL runtime on which a consumer drops objects is unknown
/// there.
void note_python_thread() noexcept;

}  // namespace usmx::bindings
