#pragma once

namespace fermata::postgres {

// What is known of the store as a whole, by name: a move that fills it, which database it is.
constexpr const char* settings_schema = R"sql(
create table settings (name text collate "C" primary key, value text not null);
)sql";

}  // namespace fermata::postgres
