# SPDX-License-Identifier: Apache-2.0
# Registers with ctest: every tests/c/*.c, the examples with what they must print, the headers alone, and an installation.
# A test that exits 77 is skipped; the last line it printed is the reason.
find_package(PkgConfig REQUIRED)
pkg_check_modules(test_libraries REQUIRED IMPORTED_TARGET cmocka mpfr)
find_package(Threads REQUIRED)
set(same ${PROJECT_SOURCE_DIR}/tools/same.sh)

file(GLOB test_sources CONFIGURE_DEPENDS tests/c/*.c)
foreach(source ${test_sources}) # what has no main serves those that have
  file(STRINGS ${source} main REGEX "^int main\\(")
  if(NOT main)
    list(APPEND shared_sources ${source})
    list(REMOVE_ITEM test_sources ${source})
  endif()
endforeach()
add_library(test_shared OBJECT ${shared_sources})
target_compile_options(test_shared PRIVATE ${bitfold_warnings} -ffp-contract=off)
target_link_libraries(test_shared PRIVATE bitfold_static PkgConfig::test_libraries)

if(BITFOLD_SANITIZE) # what takes minutes there is done in part: so many contracts, rows
  set(part_fences_reduce 64)
  set(part_machines 200000)
endif()
foreach(source ${test_sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(test_${name} ${source})
  set_target_properties(test_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
  target_compile_options(test_${name} PRIVATE ${bitfold_warnings} -ffp-contract=off)
  if(name STREQUAL "golden") # prints lines that every target must print, and so needs nothing but the library
    target_link_libraries(test_golden PRIVATE bitfold_static)
    add_test(NAME golden COMMAND ${same} tests/golden.txt $<TARGET_FILE:test_golden>)
  else()
    target_link_libraries(test_${name} PRIVATE test_shared bitfold_static PkgConfig::test_libraries Threads::Threads m)
    add_test(NAME c/${name} COMMAND test_${name} ${part_${name}})
  endif()
endforeach()

foreach(source ${example_sources})
  get_filename_component(name ${source} NAME_WE)
  add_test(NAME example/${name} COMMAND ${same} examples/${name}.expected $<TARGET_FILE:example_${name}>)
endforeach()

# The clause suite of the twelve arm_* functions: a case a clause, and their golden lines.
file(GLOB clause_sources CONFIGURE_DEPENDS tests/cmsis_nn/*.c)
add_executable(test_cmsis_nn ${clause_sources} tests/c/hostile.c)
set_target_properties(test_cmsis_nn PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/cmsis_nn OUTPUT_NAME clauses)
target_compile_options(test_cmsis_nn PRIVATE ${bitfold_warnings})
target_link_libraries(test_cmsis_nn PRIVATE bitfold_cmsis_nn_static)
file(STRINGS tests/cmsis_nn/clauses.def clauses REGEX "^CLAUSE\\(")
foreach(clause ${clauses})
  string(REGEX REPLACE "^CLAUSE.([0-9]+).*" "H\\1" name "${clause}")
  add_test(NAME cmsis_nn/${name} COMMAND test_cmsis_nn ${name})
endforeach()
add_test(NAME cmsis_nn/golden COMMAND ${same} tests/cmsis_nn/golden.txt $<TARGET_FILE:test_cmsis_nn> golden)
if(TARGET example_pool)
  add_test(NAME example/pool COMMAND ${same} examples/cortex-m/pool.expected $<TARGET_FILE:example_pool>)
endif()

# The headers alone; a warning is an error here whatever the compiler.
set(strict -Wall -Wextra -Wpedantic -Werror)
target_compile_options(test_header_c11 PRIVATE ${strict})
add_test(NAME c/header_private
         COMMAND ${CMAKE_C_COMPILER} -std=c11 ${strict} -fsyntax-only -x c src/kernel.h)
include(CheckLanguage)
check_language(CXX)
if(CMAKE_CXX_COMPILER)
  enable_language(CXX)
  add_executable(test_header_cxx17 tests/c/header_cxx17.cpp)
  set_target_properties(test_header_cxx17 PROPERTIES CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF)
  target_compile_options(test_header_cxx17 PRIVATE ${strict})
  target_link_libraries(test_header_cxx17 PRIVATE bitfold_static)
  add_test(NAME c/header_cxx17 COMMAND test_header_cxx17)
else()
  add_test(NAME c/header_cxx17 COMMAND sh -c "echo no C++ compiler here; exit 77")
endif()

if(BITFOLD_SANITIZE)
  add_test(NAME install COMMAND sh -c "echo an installation is tried without sanitizers; exit 77")
else()
  add_test(NAME install COMMAND tools/check_install.sh ${PROJECT_BINARY_DIR})
endif()

include(cmake/tests_cmsis_nn_integer.cmake)
include(cmake/tests_emulated.cmake)

get_property(all_tests DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTY TESTS)
set_tests_properties(${all_tests} PROPERTIES SKIP_RETURN_CODE 77 WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} TIMEOUT 900)
