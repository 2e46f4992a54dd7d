// Where in a Python program something happens: for the tracking of memory, and for warnings.
#pragma once

#include <Python.h>

#include <string>

namespace usmx::bindings {

/// "file.py:12 in function": the innermost Python frame on this thread that is not usmx's. On a
/// thread without the interpreter lock, it is the call site that was noted there, or "native code".
std::string python_call_site();

/// A warning of that category at the innermost Python frame on this thread that is not usmx's.
/// Raises the warning where a filter makes it an error. With the interpreter lock.
void warn_at_call_site(PyObject* category, const char* text);

/// If anything tracks memory, notes the call site for what this thread allocates without the
/// interpreter lock during the life of this object. To be made before the lock is released.
class noted_call_site {
 public:
  noted_call_site();
  noted_call_site(const noted_call_site&) = delete;
  noted_call_site& operator=(const noted_call_site&) = delete;
  ~noted_call_site();

 private:
  std::string site_;
  const std::string* outer_;
};

}  // namespace usmx::bindings
