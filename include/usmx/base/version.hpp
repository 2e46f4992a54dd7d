// The one place the version is written; the build and the Python package read it from here.
#pragma once

#define USMX_VERSION_MAJOR 0
#define USMX_VERSION_MINOR 1
#define USMX_VERSION_PATCH 0
#define USMX_VERSION_STRING "0.1.0"

/// Moves when code that was compiled against these headers no longer runs with the new libusmx.so.
/// The inline namespace (v1) and the library's SONAME (libusmx.so.1) carry it.
#define USMX_ABI_VERSION 1
