// The one place the version is written; the build and the Python package read it from here.
#pragma once

#define USMX_VERSION_MAJOR 0
#define USMX_VERSION_MINOR 1
#define USMX_VERSION_PATCH 0
#define USMX_VERSION_STRING "0.1.0"
