# Helpers that turn a folder into a target. A folder's own *.cpp become its library; its *_test.cpp
# become one test program per folder, so a new file needs no change here.
find_package(Threads REQUIRED)
find_package(GTest REQUIRED)

add_library(fermata_flags INTERFACE)
target_include_directories(fermata_flags INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR})
target_compile_options(fermata_flags INTERFACE
  -Wall -Wextra -Wpedantic -Werror -Wconversion -Wno-sign-conversion -Wshadow -Wnon-virtual-dtor
  -Wimplicit-fallthrough -fno-omit-frame-pointer
  # libstdc++ 12 implements std::stable_sort with a function it deprecates itself.
  -Wno-deprecated-declarations)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_compile_options(fermata_flags INTERFACE -Xclang -fno-pch-timestamp)
endif()
if(FERMATA_SANITIZE STREQUAL "address")
  target_compile_options(fermata_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all)
  target_link_options(fermata_flags INTERFACE -fsanitize=address,undefined)
elseif(FERMATA_SANITIZE STREQUAL "thread")
  target_compile_options(fermata_flags INTERFACE -fsanitize=thread)
  target_link_options(fermata_flags INTERFACE -fsanitize=thread)
endif()
if(FERMATA_FUZZ)
  target_compile_options(fermata_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
target_link_libraries(fermata_flags INTERFACE Threads::Threads)

add_library(fermata_pch OBJECT ${CMAKE_SOURCE_DIR}/cmake/pch.cpp)
target_link_libraries(fermata_pch PRIVATE fermata_flags)
target_precompile_headers(fermata_pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/pch.h)

# What tests are made of runs once and is compiled often: it is not optimised, what it tests is.
add_library(fermata_test_flags INTERFACE)
target_compile_options(fermata_test_flags INTERFACE -O0)
target_link_libraries(fermata_test_flags INTERFACE fermata_flags GTest::gtest_main)
add_library(fermata_test_pch OBJECT ${CMAKE_SOURCE_DIR}/cmake/pch.cpp)
target_link_libraries(fermata_test_pch PRIVATE fermata_test_flags)
target_precompile_headers(fermata_test_pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/pch.h <gtest/gtest.h>)

# WITHOUT names folders inside it that are targets of their own.
function(fermata_folder path)
  cmake_parse_arguments(arg "" "" "DEPENDS;LINKS;TESTS_USE;WITHOUT" ${ARGN})
  string(REPLACE "/" "_" name ${path})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${path}/*.cpp)
  foreach(inner ${arg_WITHOUT})
    list(FILTER sources EXCLUDE REGEX "/src/${inner}/")
  endforeach()
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  set(dependencies ${arg_DEPENDS})
  list(TRANSFORM dependencies PREPEND fermata_)
  list(TRANSFORM dependencies REPLACE "/" "_")
  if(sources)
    add_library(fermata_${name} STATIC ${sources})
    target_link_libraries(fermata_${name} PUBLIC fermata_flags ${dependencies} PRIVATE ${arg_LINKS})
    target_precompile_headers(fermata_${name} REUSE_FROM fermata_pch)
    set_target_properties(fermata_${name} PROPERTIES UNITY_BUILD ${FERMATA_UNITY} UNITY_BUILD_BATCH_SIZE 12)
  else()
    add_library(fermata_${name} INTERFACE)
    target_link_libraries(fermata_${name} INTERFACE fermata_flags ${dependencies})
  endif()
  if(tests)
    set(used ${arg_TESTS_USE})
    list(TRANSFORM used PREPEND fermata_)
    list(TRANSFORM used REPLACE "/" "_")
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE fermata_${name} ${used} fermata_test_flags)
    target_precompile_headers(${name}_test REUSE_FROM fermata_test_pch)
    add_test(NAME ${name} COMMAND ${name}_test)
  endif()
endfunction()

set(fermata_everything fermata_cli fermata_server fermata_front fermata_host fermata_adapters_memory
  fermata_adapters_sqlite fermata_adapters_postgres fermata_adapters_http fermata_adapters_otlp fermata_adapters_system fermata_adapters_tzdata
  fermata_adapters_yaml fermata_adapters_grpc_policy fermata_adapters_scan fermata_adapters_cap
  fermata_adapters_nats fermata_adapters_rabbitmq fermata_adapters_redis)

# proto/NAME.proto as code: one library that an adapter links privately. Nothing of it is ours to
# warn about. The libraries behind it are linked statically: as shared ones they double the time
# that every command of the program needs to begin (docs/adr/0047-the-kernel-is-asked-after-the-commit.md).
function(fermata_proto)
  find_program(protoc protoc REQUIRED)
  find_program(grpc_plugin grpc_cpp_plugin REQUIRED)
  find_package(PkgConfig REQUIRED)
  pkg_check_modules(grpc REQUIRED grpc++ protobuf)
  set(out ${CMAKE_BINARY_DIR}/proto)
  file(MAKE_DIRECTORY ${out})
  set(sources "")
  foreach(name ${ARGN})
    set(made ${out}/${name}.pb.cc ${out}/${name}.pb.h ${out}/${name}.grpc.pb.cc ${out}/${name}.grpc.pb.h)
    add_custom_command(OUTPUT ${made}
      COMMAND ${protoc} --proto_path=${CMAKE_SOURCE_DIR}/proto --cpp_out=${out} --grpc_out=${out}
        --plugin=protoc-gen-grpc=${grpc_plugin} ${CMAKE_SOURCE_DIR}/proto/${name}.proto
      DEPENDS ${CMAKE_SOURCE_DIR}/proto/${name}.proto)
    list(APPEND sources ${made})
  endforeach()
  add_library(fermata_proto STATIC ${sources})
  target_include_directories(fermata_proto SYSTEM PUBLIC ${out})
  target_compile_options(fermata_proto PRIVATE -w)
  set(libraries "")
  foreach(name ${grpc_STATIC_LIBRARIES})
    find_library(static_${name} lib${name}.a)
    if(static_${name} AND NOT name MATCHES "^(ssl|crypto|z|re2|rt|dl|m|pthread|atomic)$")
      list(APPEND libraries ${static_${name}})
    else()
      list(APPEND libraries ${name})
    endif()
  endforeach()
  target_link_libraries(fermata_proto PUBLIC -Wl,--start-group ${libraries} -Wl,--end-group)
endfunction()

# The policy kernel that tests ask, kill and slow down.
function(fermata_kernel)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/test/kernel/reference/*.cpp)
  if(sources)
    add_executable(fermata_kernel ${sources})
    target_link_libraries(fermata_kernel PRIVATE fermata_flags fermata_proto)
    # It is made of gRPC, which is not instrumented: what the thread sanitizer says of it is noise.
    if(FERMATA_SANITIZE STREQUAL "thread")
      target_compile_options(fermata_kernel PRIVATE -fno-sanitize=thread)
      target_link_options(fermata_kernel PRIVATE -fno-sanitize=thread)
    endif()
  endif()
endfunction()

# Puts a copy of the zone data of this machine into a target (docs/adr/0013-zone-data.md).
set(FERMATA_ZONEINFO /usr/share/zoneinfo CACHE PATH "compiled zones to be bundled")
function(fermata_zones target)
  set(out ${CMAKE_BINARY_DIR}/zones)
  file(GLOB version ${FERMATA_ZONEINFO}/tzdata.zi ${FERMATA_ZONEINFO}/+VERSION)
  add_custom_command(OUTPUT ${out}.bin ${out}.S
    COMMAND ${CMAKE_SOURCE_DIR}/tools/bundle_zones ${FERMATA_ZONEINFO} ${out}
    DEPENDS ${CMAKE_SOURCE_DIR}/tools/bundle_zones ${version}
    COMMENT "Bundling zone data")
  # A target of its own: the warnings of C++ mean nothing to the assembler.
  add_library(${target}_bundle OBJECT ${out}.S)
  # The assembler reads the bundle itself; without this a new one would not be noticed.
  set_source_files_properties(${out}.S PROPERTIES OBJECT_DEPENDS ${out}.bin)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_bundle>)
endfunction()

# Puts the web console into a target: brotli and gzip forms of what Vite makes of ui/console. Without
# Node.js the bundle is empty, and the server says how to add it.
option(FERMATA_CONSOLE "build the web console where Node.js is found" ON)
set(FERMATA_NODE "" CACHE FILEPATH "Node.js of version 20.19 or newer; empty for the one in PATH")
function(fermata_console target)
  set(out ${CMAKE_BINARY_DIR}/console)
  set(source ${CMAKE_SOURCE_DIR}/ui/console)
  set(node ${FERMATA_NODE})
  if(NOT node)
    find_program(found_node node)
    set(node ${found_node})
  endif()
  set(version "")
  if(FERMATA_CONSOLE AND node)
    execute_process(COMMAND ${node} --version OUTPUT_VARIABLE version OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    string(REPLACE "v" "" version "${version}")
  endif()
  file(CONFIGURE OUTPUT ${out}.S @ONLY CONTENT [[
    .section .rodata
    .global fermata_console_begin
    .global fermata_console_end
    .type fermata_console_begin, %object
    .type fermata_console_end, %object
    .balign 16
fermata_console_begin:
    .incbin "@out@.bin"
fermata_console_end:
    .byte 0
    .section .note.GNU-stack,"",%progbits
]])
  if(version VERSION_GREATER_EQUAL 20.19)
    file(GLOB_RECURSE files CONFIGURE_DEPENDS ${source}/src/* ${source}/public/* ${source}/tools/*)
    add_custom_command(OUTPUT ${out}.bin
      COMMAND ${node} ${source}/tools/build.mjs ${out}
      DEPENDS ${files} ${source}/package-lock.json ${source}/index.html ${source}/vite.config.ts
        ${source}/svelte.config.js ${source}/tsconfig.json
      COMMENT "Building the web console")
  else()
    message(STATUS "Without the web console: it needs Node.js 20.19 or newer")
    add_custom_command(OUTPUT ${out}.bin
      COMMAND ${CMAKE_COMMAND} -E echo FCONSOLE1 > ${out}.bin
      COMMAND ${CMAKE_COMMAND} -E echo 0 >> ${out}.bin)
  endif()
  add_library(${target}_console OBJECT ${out}.S)
  set_source_files_properties(${out}.S PROPERTIES OBJECT_DEPENDS ${out}.bin)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${target}_console>)
endfunction()

# A program made of one main file or of every source in a folder outside src/.
function(fermata_program name)
  set(sources ${ARGN})
  list(TRANSFORM sources PREPEND ${CMAKE_SOURCE_DIR}/)
  foreach(source ${sources})
    if(NOT EXISTS ${source})
      return()
    endif()
  endforeach()
  add_executable(${name} ${sources})
  target_link_libraries(${name} PRIVATE ${fermata_everything})
endfunction()

function(fermata_sim)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/sim/*.cpp)
  if(sources)
    add_executable(fermata_simulator ${sources})
    target_link_libraries(fermata_simulator PRIVATE fermata_host fermata_adapters_memory
      fermata_adapters_scan fermata_front)
    target_precompile_headers(fermata_simulator REUSE_FROM fermata_pch)
    add_test(NAME simulator_bites COMMAND fermata_simulator --self-test)
    add_test(NAME simulator_kept_seeds COMMAND fermata_simulator --kept
      WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  endif()
endfunction()

# test/NAME/*.cpp is one test program each, run from the root of the tree. What those with real servers
# share, the servers as processes and a gate before them, is test/support.
function(fermata_tests)
  file(GLOB support CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/test/support/*.cpp)
  list(FILTER support EXCLUDE REGEX "_test\\.cpp$")
  add_library(fermata_test_support STATIC ${support})
  target_link_libraries(fermata_test_support PUBLIC fermata_flags fermata_base)
  file(GLOB folders CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/test/*)
  foreach(folder ${folders})
    file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
    get_filename_component(name ${folder} NAME)
    if(name STREQUAL "support")
      list(FILTER sources INCLUDE REGEX "_test\\.cpp$")
    endif()
    if(sources)
      # The simulator's random scripts are good tests of the language by themselves.
      file(GLOB shared CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/sim/model/${name}_*.cpp)
      add_executable(${name}_test ${sources} ${shared})
      # Those of servers beside us link the one adapter they speak to, and are built without the program.
      set(linked ${fermata_everything})
      if(name MATCHES "^(redis|support)$")
        set(linked fermata_adapters_redis fermata_adapters_memory fermata_adapters_system fermata_host)
      endif()
      target_link_libraries(${name}_test PRIVATE fermata_test_support ${linked} fermata_test_flags)
      target_precompile_headers(${name}_test REUSE_FROM fermata_test_pch)
      add_test(NAME ${name} COMMAND ${name}_test WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
      if(TARGET fermata AND fermata_cli IN_LIST linked)
        add_dependencies(${name}_test fermata)
        if(name MATCHES "^(contract|chaos)$" AND TARGET fermata_kernel)
          add_dependencies(${name}_test fermata_kernel)
        endif()
        set_tests_properties(${name} PROPERTIES
          ENVIRONMENT "FERMATA_BINARY=$<TARGET_FILE:fermata>;FERMATA_KERNEL=${CMAKE_BINARY_DIR}/fermata_kernel")
      endif()
    endif()
  endforeach()
endfunction()

function(fermata_bench)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/bench/*.cpp)
  if(sources)
    # Of the cluster it measures servers that it starts as the tests do.
    add_executable(fermata_bench ${sources} ${CMAKE_SOURCE_DIR}/test/support/redis_process.cpp)
    target_link_libraries(fermata_bench PRIVATE ${fermata_everything} sqlite3 curl)
  endif()
endfunction()

# Each fuzzer links the little it feeds, so that the instrumented build stays small.
function(fermata_fuzzers)
  if(NOT FERMATA_FUZZ)
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/fuzz/*_fuzz.cpp)
  foreach(source ${sources})
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE fermata_core)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  endforeach()
  foreach(part parser parser_chunks message)
    target_sources(http_fuzz PRIVATE ${CMAKE_SOURCE_DIR}/src/server/http/${part}.cpp)
  endforeach()
  target_sources(tzif_fuzz PRIVATE ${CMAKE_SOURCE_DIR}/src/adapters/tzdata/tzif.cpp)
  target_link_libraries(policy_fuzz PRIVATE fermata_adapters_yaml)
  target_link_libraries(cap_fuzz PRIVATE fermata_adapters_cap)
endfunction()
