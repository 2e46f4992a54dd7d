// USMX_API marks what libusmx.so exports; everything else in it is hidden.
#pragma once

#define USMX_API [[gnu::visibility("default")]]
