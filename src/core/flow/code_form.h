#pragma once
#include <cstdint>
#include <string_view>

namespace fermata::flow::code_form {

constexpr std::string_view mark = "FFC";
constexpr uint8_t format_version = 1;
constexpr size_t checksum_bytes = 4;

enum Flags : uint8_t {
  has_rest = 1,
  is_async = 2,
};

}  // namespace fermata::flow::code_form
