# Compiles the kernels of ordinary calls of the Python package, which is built by then, into the file usmx-kernels:
# tools/package_kernels.py.

usmx_add_tool(
  usmx_compile_programs tools/compile_programs.cpp
  SHARED src/base/messages.cpp src/kernels/cache_files.cpp src/kernels/compile/packaged_programs.cpp
         src/kernels/compile/program.cpp src/kernels/compile/spirv.cpp)

if(NOT USMX_PACKAGED_KERNELS MATCHES "^(full|core|none)$")
  message(FATAL_ERROR "USMX_PACKAGED_KERNELS: expected full, core or none, found '${USMX_PACKAGED_KERNELS}'")
endif()
set(usmx_packaged_kernels "${PROJECT_BINARY_DIR}/usmx-kernels")
file(GLOB mathematics CONFIGURE_DEPENDS python/usmx/_compute/*.py)
add_custom_command(
  OUTPUT "${usmx_packaged_kernels}"
  DEPENDS _core usmx usmx_compile_programs tools/package_kernels.py tools/ordinary_calls.py python/usmx/random.py
          ${mathematics}
  COMMAND
    "${CMAKE_COMMAND}" -E env ${kernel_environment} "${Python_EXECUTABLE}"
    "${PROJECT_SOURCE_DIR}/tools/package_kernels.py" "${USMX_PACKAGED_KERNELS}" "$<TARGET_FILE:usmx>"
    "$<TARGET_FILE:_core>" "$<TARGET_FILE:usmx_compile_programs>" "${SYCLRuntime_LIBRARY_DIR}/libsycl-jit.so"
    "${usmx_packaged_kernels}"
  COMMENT "Compiling the kernels of ordinary calls"
  VERBATIM)
add_custom_target(usmx_packaged_kernels ALL DEPENDS "${usmx_packaged_kernels}")
install(FILES "${usmx_packaged_kernels}" DESTINATION libexec)
