# Compiles the device kernels of src/kernels/device, by the SYCL runtime's own compiler, into one object for
# each group, which become part of libusmx.so together with their sources: src/kernels/groups.hpp.

set(kernel_folder "${PROJECT_SOURCE_DIR}/src/kernels/device")
file(GLOB kernel_sources CONFIGURE_DEPENDS "${kernel_folder}/*.cpp" "${kernel_folder}/*.hpp")
set(kernel_output "${PROJECT_BINARY_DIR}/kernels")

# The groups are listed in groups.hpp, once for C++ and this.
set(kernel_group_list "${PROJECT_SOURCE_DIR}/src/kernels/groups.hpp")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${kernel_group_list}")
file(READ "${kernel_group_list}" text)
string(REGEX MATCHALL "EACH\\([a-z_]+, [a-z_]+\\)" groups "${text}")
set(kernel_objects)
set(kernel_ptx)
foreach(group IN LISTS groups)
  string(REGEX REPLACE "EACH\\(([a-z_]+),.*" "\\1" name "${group}")
  list(APPEND kernel_objects "${kernel_output}/${name}.syclbin" "${kernel_output}/${name}_wide.syclbin")
  list(APPEND kernel_ptx "${kernel_output}/${name}.ptx")
endforeach()

# The sources are the files of the folder: their list for sources.cpp.
set(text)
foreach(source IN LISTS kernel_sources)
  cmake_path(GET source FILENAME name)
  string(MAKE_C_IDENTIFIER "${name}" symbol)
  string(APPEND text "USMX_SOURCE(${symbol}, \"${name}\", \"${source}\")\n")
endforeach()
file(CONFIGURE OUTPUT "${kernel_output}/kernel_sources.inc" CONTENT "${text}")

usmx_add_tool(usmx_compile_kernels tools/compile_kernels.cpp src/kernels/compile/nvrtc.cpp
              SHARED src/kernels/groups.cpp src/kernels/runtime_compiler.cpp)

# The CPU device is all it takes. In a fresh Python environment, as in an isolated build, nothing
# registers its driver, and a selection of the user's may leave it out.
set(kernel_environment --unset=ONEAPI_DEVICE_SELECTOR)
if(EXISTS "${SYCLRuntime_LIBRARY_DIR}/libintelocl.so")
  list(APPEND kernel_environment "OCL_ICD_FILENAMES=${SYCLRuntime_LIBRARY_DIR}/libintelocl.so")
endif()
add_custom_command(
  OUTPUT ${kernel_objects}
  DEPENDS usmx_compile_kernels ${kernel_sources}
  COMMAND "${CMAKE_COMMAND}" -E env ${kernel_environment} "$<TARGET_FILE:usmx_compile_kernels>"
          "${kernel_output}"
  COMMENT "Compiling the device kernels"
  VERBATIM)

# For CUDA devices: PTX, by NVIDIA's run-time compiler where the build has it (pyproject.toml); else the files are empty.
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
add_custom_command(
  OUTPUT ${kernel_ptx}
  DEPENDS usmx_compile_kernels ${kernel_sources}
  COMMAND usmx_compile_kernels "${kernel_output}" "${ptx_compiler}"
  COMMENT "Compiling the device kernels for CUDA devices"
  VERBATIM)

set_source_files_properties(src/kernels/runtime_compiler.cpp PROPERTIES INCLUDE_DIRECTORIES "${kernel_output}"
                                                               OBJECT_DEPENDS "${kernel_sources}")
set_source_files_properties(
  src/kernels/objects.cpp PROPERTIES COMPILE_DEFINITIONS "USMX_KERNEL_OBJECTS=\"${kernel_output}\""
                                     OBJECT_DEPENDS "${kernel_objects};${kernel_ptx}")

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
# their names. Nobody looks at errno or at floating-point exceptions; with them there is no vector code. g++ warns of
# the pragmas for kernels, and of vectors that only inlined functions return.
set_source_files_properties(
  src/compute/host_algorithms.cpp src/compute/host_loops.cpp src/compute/host_reductions.cpp
  PROPERTIES COMPILE_OPTIONS "-ffp-contract=off;-fno-math-errno;-fno-trapping-math;-Wno-unknown-pragmas;-Wno-psabi;${unoptimized}"
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
