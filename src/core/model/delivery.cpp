#include "core/model/delivery.h"

namespace fermata {

namespace {

constexpr std::string_view state_names[] = {"pending", "done", "gone", "dead"};

}  // namespace

std::string_view name_of(DeliveryState state) { return state_names[static_cast<size_t>(state)]; }

std::optional<DeliveryState> delivery_state_of(std::string_view name) {
  for (size_t i = 0; i < std::size(state_names); ++i)
    if (state_names[i] == name) return static_cast<DeliveryState>(i);
  return std::nullopt;
}

}  // namespace fermata
