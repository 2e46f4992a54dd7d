# The file usmx-kernels, which lies beside usmx-compile: usmx's own kernels, of src/kernels/device and of mathematics, as they
# are compiled when usmx is built (tools/compile_programs.cpp). Their sources are a part of libusmx.so.

set(kernel_folder "${PROJECT_SOURCE_DIR}/src/kernels/device")
file(GLOB kernel_sources CONFIGURE_DEPENDS "${kernel_folder}/*.cpp" "${kernel_folder}/*.hpp")
set(kernel_output "${PROJECT_BINARY_DIR}/kernels")
set(text) # the list of the folder's files for group_programs.cpp
foreach(source IN LISTS kernel_sources)
  cmake_path(GET source FILENAME name)
  string(MAKE_C_IDENTIFIER "${name}" symbol)
  string(APPEND text "USMX_SOURCE(${symbol}, \"${name}\", \"${source}\")\n")
endforeach()
file(CONFIGURE OUTPUT "${kernel_output}/kernel_sources.inc" CONTENT "${text}")
set_source_files_properties(src/kernels/group_programs.cpp PROPERTIES INCLUDE_DIRECTORIES "${kernel_output}"
                                                                     OBJECT_DEPENDS "${kernel_sources}")

usmx_add_tool(
  usmx_compile_programs tools/compile_programs.cpp src/kernels/compile/nvrtc.cpp
  SHARED src/base/environment.cpp src/base/messages.cpp src/kernels/cache_files.cpp src/kernels/group_programs.cpp
         src/kernels/groups.cpp src/kernels/compile/packaged_programs.cpp src/kernels/compile/program.cpp src/kernels/compile/spirv.cpp
         src/kernels/compile/boolean_signs.cpp)

# The CPU device is all it takes. In a fresh Python environment, as in an isolated build, nothing
# registers its driver, and a selection of the user's may leave it out.
set(kernel_environment --unset=ONEAPI_DEVICE_SELECTOR)
if(EXISTS "${SYCLRuntime_LIBRARY_DIR}/libintelocl.so")
  list(APPEND kernel_environment "OCL_ICD_FILENAMES=${SYCLRuntime_LIBRARY_DIR}/libintelocl.so")
endif()

# For CUDA devices: PTX, by NVIDIA's run-time compiler where the build has it (pyproject.toml).
find_package(Python 3.11 REQUIRED COMPONENTS Interpreter)
set(ptx_compiler)
if(USMX_CUDA_KERNELS)
  execute_process(COMMAND "${Python_EXECUTABLE}" -c "import nvidia.cuda_nvrtc as found; print(*found.__path__)"
                  OUTPUT_VARIABLE nvrtc_folder OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(EXISTS "${nvrtc_folder}/lib/libnvrtc.so.12")
    set(ptx_compiler "${nvrtc_folder}/lib/libnvrtc.so.12")
  else()
    message(STATUS "Kernels for CUDA devices: left out, nvidia-cuda-nvrtc-cu12 is not installed")
  endif()
else()
  message(STATUS "Kernels for CUDA devices: left out, USMX_CUDA_KERNELS is OFF")
endif()

if(NOT USMX_PACKAGED_KERNELS MATCHES "^(full|core|none)$")
  message(FATAL_ERROR "USMX_PACKAGED_KERNELS: expected full, core or none, found '${USMX_PACKAGED_KERNELS}'")
endif()
set(kernel_compiler "${SYCLRuntime_LIBRARY_DIR}/libsycl-jit.so")
set(usmx_packaged_kernels "${PROJECT_BINARY_DIR}/usmx-kernels")
if(SKBUILD) # with the kernels of the Python package's ordinary calls, which is built by then
  file(GLOB mathematics CONFIGURE_DEPENDS python/usmx/_compute/*.py)
  set(kernel_inputs _core usmx tools/package_kernels.py tools/ordinary_calls.py python/usmx/random.py ${mathematics})
  set(compile_kernels
      "${Python_EXECUTABLE}" "${PROJECT_SOURCE_DIR}/tools/package_kernels.py" "${USMX_PACKAGED_KERNELS}" "$<TARGET_FILE:usmx>"
      "$<TARGET_FILE:_core>" "$<TARGET_FILE:usmx_compile_programs>")
else()
  set(kernel_inputs)
  set(compile_kernels "$<TARGET_FILE:usmx_compile_programs>" none)
endif()
add_custom_command(
  OUTPUT "${usmx_packaged_kernels}"
  DEPENDS usmx_compile_programs ${kernel_inputs}
  COMMAND "${CMAKE_COMMAND}" -E env ${kernel_environment} ${compile_kernels} "${usmx_packaged_kernels}"
          "${kernel_compiler}" "${ptx_compiler}"
  COMMENT "Compiling usmx's kernels"
  VERBATIM)
add_custom_target(usmx_packaged_kernels ALL DEPENDS "${usmx_packaged_kernels}")
install(FILES "${usmx_packaged_kernels}" DESTINATION libexec)

# Files of the repository that are a part of the library, by their paths: the headers of users' kernels, which it gives to
# the compilers, and the texts that the kernels of its own mathematics begin with.
set(usmx_kernel_headers "${PROJECT_SOURCE_DIR}/include/usmx")
file(GLOB usmx_device_texts CONFIGURE_DEPENDS src/compute/device/*.hpp)
set_source_files_properties(src/kernels/compile/program.cpp src/compute/device_texts.cpp
                            PROPERTIES COMPILE_DEFINITIONS "USMX_REPOSITORY=\"${PROJECT_SOURCE_DIR}\"")
set_source_files_properties(
  src/kernels/compile/program.cpp
  PROPERTIES
    OBJECT_DEPENDS
    "${usmx_kernel_headers}/kernel.hpp;${usmx_kernel_headers}/kernel_complex.hpp;${usmx_kernel_headers}/kernel_cuda.hpp;${usmx_kernel_headers}/kernel_groups.hpp;${usmx_kernel_headers}/kernel_math.hpp"
)
set_source_files_properties(src/compute/device_texts.cpp PROPERTIES OBJECT_DEPENDS "${usmx_device_texts}")

# Hundreds of loops, which a sanitizer sees as well as they stand: that takes a third of the time to compile.
if(USMX_SANITIZE)
  set(unoptimized -O0)
endif()

# The functions of these texts are compiled for the host, too. There each operation is rounded, and no other source sees
# their names. Nobody looks at errno or at floating-point exceptions; with them there is no vector code. Nor is there for
# a function that asks for one condition twice (tanh), once g++ has made two ways of it. g++ warns of the pragmas for
# kernels, and of vectors that only inlined functions return.
set_source_files_properties(
  src/compute/host_algorithms.cpp src/compute/host_loops.cpp src/compute/host_reductions.cpp
  PROPERTIES COMPILE_OPTIONS
             "-ffp-contract=off;-fno-math-errno;-fno-trapping-math;$<$<CXX_COMPILER_ID:GNU>:-fno-thread-jumps>;-Wno-unknown-pragmas;-Wno-psabi;${unoptimized}"
             SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
# Vectors that only inlined functions return, and comparisons of which vectors are made.
set_source_files_properties(
  src/compute/sorted_rows.cpp PROPERTIES COMPILE_OPTIONS "-fno-trapping-math;-Wno-psabi;${unoptimized}" SKIP_PRECOMPILE_HEADERS ON
                                         SKIP_UNITY_BUILD_INCLUSION ON)
# Here sums of floating-point numbers may be in any order, so products and sums are one operation where the processor has
# that.
set_source_files_properties(
  src/compute/host_products.cpp
  PROPERTIES COMPILE_OPTIONS "-ffp-contract=fast;-Wno-psabi" SKIP_PRECOMPILE_HEADERS ON SKIP_UNITY_BUILD_INCLUSION ON)
