#pragma once
#include <sqlite3.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

/// The layer between SQLite and the file system. It puts a checksum at the end of every page of a
/// database file and looks at it whenever a page is read, so that a flipped bit is an error
/// wherever it is: in an index, in the tree, in a record. It also sees to it that a full disk is an
/// error and not a signal (index_room.h).
namespace fermata::sqlite {

/// At the end of each page: checksum and number of the page.
constexpr int page_sum_bytes = 8;

/// A path as a URI in which no character means anything but itself.
std::string file_uri(const std::filesystem::path& file, std::string_view parameters);

/// The name under which databases are opened.
const char* file_layer();

/// Has the pages of a new, still empty database file summed.
void begin_page_sums(sqlite3* database);
/// Names a new file for statements that make one: its pages are summed.
std::string summed_file_uri(const std::filesystem::path& file);
/// True when the pages of this database are summed.
bool has_page_sums(sqlite3* database);
/// The page whose checksum did not match last; 0 for none.
uint32_t damaged_page(sqlite3* database);

}  // namespace fermata::sqlite
