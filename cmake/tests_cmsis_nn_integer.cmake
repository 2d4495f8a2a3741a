# SPDX-License-Identifier: Apache-2.0
# Registers with ctest the promises of the integer relatives, each as a test of its own, and their golden file.
# Wants the target bitfold_cmsis_nn_static, bitfold_warnings and `same`, the script that compares what a command prints with a file.
file(GLOB cmsis_nn_integer_tests CONFIGURE_DEPENDS tests/cmsis_nn_integer/*.c)
add_executable(test_cmsis_nn_integer ${cmsis_nn_integer_tests})
set_target_properties(test_cmsis_nn_integer PROPERTIES OUTPUT_NAME cmsis_nn_integer
                                                       RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
target_compile_options(test_cmsis_nn_integer PRIVATE ${bitfold_warnings})
target_link_libraries(test_cmsis_nn_integer PRIVATE bitfold_cmsis_nn_static)

file(STRINGS tests/cmsis_nn_integer/promises.def promises REGEX "^PROMISE\\(")
foreach(promise ${promises})
  string(REGEX REPLACE "^PROMISE\\(([A-Z0-9]+).*" "\\1" name "${promise}")
  add_test(NAME cmsis_nn_integer/${name} COMMAND test_cmsis_nn_integer ${name})
endforeach()
add_test(NAME cmsis_nn_integer/golden
         COMMAND ${same} tests/cmsis_nn_integer/golden.txt $<TARGET_FILE:test_cmsis_nn_integer> digests)
