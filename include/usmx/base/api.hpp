// Which names libusmx.so exports.
#pragma once

/// Marks the functions and classes that libusmx.so exports. All other symbols of the library are
/// hidden.
#define USMX_API [[gnu::visibility("default")]]
