// The version of usmx. The build and the Python package read it from here.
#pragma once

/// The first number of the version.
#define USMX_VERSION_MAJOR 0
/// The second number of the version.
#define USMX_VERSION_MINOR 1
/// The third number of the version.
#define USMX_VERSION_PATCH 0
/// The version as text.
#define USMX_VERSION_STRING "0.1.0"

/// The version of the binary interface. It changes when code that was compiled with older headers
/// cannot run with the new libusmx.so, and is then the number of the release that changes it: 1 is
/// 0.1, and 102 would be 1.2 (docs/compatibility.md). The inline namespace (v1) and the SONAME of
/// the library (libusmx.so.1) carry it.
#define USMX_ABI_VERSION 1
