// SPDX-License-Identifier: Apache-2.0
// The part of XLA's foreign function interface that JAX uses to call this extension: the layouts of
// its structures and functions, the same in versions 0.1 to 0.4 (jaxlib 0.6 to 0.11). Building does
// not need JAX. tests/python/jax_test.py compares this file with the header of an installed JAX
// (https://docs.jax.dev/en/latest/ffi.html).
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // int64_t

namespace wingbeat::python::xla {

enum class data_type : int {
  int16 = 3,
  int32 = 4,
  fp16 = 10,
  fp32 = 11,
  fp64 = 12,
  complex64 = 15,
  bf16 = 16,
  complex128 = 18
};
enum class stage : int { execute = 3 };
enum class error_code : int { invalid_argument = 3, resource_exhausted = 8, internal = 13 };

inline constexpr int metadata_extension_type = 1;
inline constexpr int array_attribute = 1;

struct error;
struct execution_context;

struct extension {
  std::size_t struct_size;
  int type;
  extension* next;
};

struct api_version {
  std::size_t struct_size;
  extension* extension_start;
  int major, minor;
};

struct metadata {
  std::size_t struct_size;
  api_version version;
  std::uint32_t traits;
};

struct metadata_extension {
  extension base;
  metadata* data;
};

/// A packed array, the last dimension densest.
struct buffer {
  std::size_t struct_size;
  extension* extension_start;
  data_type dtype;
  void* data;
  std::int64_t rank;
  std::int64_t* dimensions;
};

struct buffers {
  std::size_t struct_size;
  extension* extension_start;
  std::int64_t size;
  int* types;
  buffer** values;
};

struct array {
  data_type dtype;
  std::size_t size;
  void* data;
};

struct attributes {
  std::size_t struct_size;
  extension* extension_start;
  std::int64_t size;
  int* types;
  void** names;
  array** values;
};

struct create_error_arguments {
  std::size_t struct_size;
  extension* extension_start;
  const char* message;
  error_code code;
};

struct stream_arguments {
  std::size_t struct_size;
  extension* extension_start;
  execution_context* context;
  void* stream;
};

struct allocate_arguments {
  std::size_t struct_size;
  extension* extension_start;
  execution_context* context;
  std::size_t size, alignment;
  void* data;
};

struct free_arguments {
  std::size_t struct_size;
  extension* extension_start;
  execution_context* context;
  std::size_t size;
  void* data;
};

struct ordinal_arguments {
  std::size_t struct_size;
  extension* extension_start;
  execution_context* context;
  std::int32_t ordinal;
};

struct functions {
  std::size_t struct_size;
  extension* extension_start;
  api_version version;
  const void* internal;
  error* (*create_error)(create_error_arguments*);
  void (*error_message)();
  void (*destroy_error)(create_error_arguments*);
  void (*register_handler)();
  error* (*stream)(stream_arguments*);
  void (*register_type)();
  void (*context)();
  void (*set_state)();
  void (*state)();
  error* (*allocate)(allocate_arguments*);
  error* (*free)(free_arguments*);
  void (*schedule)();
  void (*n_threads)();
  void (*create_future)();
  void (*complete_future)();
  void (*fail_future)();
  void (*run_id)();
  error* (*device_ordinal)(ordinal_arguments*);
};

struct call_frame {
  std::size_t struct_size;
  extension* extension_start;
  const functions* api;
  execution_context* context;
  stage during;
  buffers arguments, results;
  attributes attrs;
};

}  // namespace wingbeat::python::xla
