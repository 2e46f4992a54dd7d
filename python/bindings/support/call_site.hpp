// Where in a Python program something happens: for the tracking of memory.
#pragma once

#include <string>

namespace usmx::bindings {

/// "file.py:12 in function": the innermost frame of Python on this thread that is none of usmx's.
/// On a thread that does not hold the interpreter lock, it is "native code".
std::string python_call_site();

}  // namespace usmx::bindings
