// Where in a Python program something happens: for the tracking of memory.
#pragma once

#include <string>

namespace usmx::bindings {

/// "file.py:12 in function": the innermost frame of Python on this thread that is none of usmx's.
/// On a thread that does not hold the interpreter lock, it is what was noted there, or "native
/// code".
std::string python_call_site();

/// Notes the call site for what this thread allocates without the interpreter lock during the life
/// of this, if anything tracks memory. To be made before the lock is let go.
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
