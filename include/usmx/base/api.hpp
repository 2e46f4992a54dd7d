// Which names libusmx.so exports, and which of them go.
#pragma once

/// Marks the functions and classes that libusmx.so exports. All other symbols of the library are
/// hidden.
#define USMX_API [[gnu::visibility("default")]]

/// Marks a public name that a later release removes: the compiler warns who uses it. `since` is the
/// release that says so first, as "0.2". `instead` says what to use, as "usmx::copy".
/// docs/compatibility.md says how long the name stays.
#define USMX_DEPRECATED(since, instead) \
  [[deprecated("since usmx " since ": use " instead " instead")]]
