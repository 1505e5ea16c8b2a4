#include "adapters/sqlite/file_layer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <new>
#include <string_view>
#include <vector>

#include "adapters/sqlite/index_room.h"
#include "base/bytes.h"
#include "base/check.h"

namespace fermata::sqlite {
namespace {

/// Operations of `sqlite3_file_control` that only this layer knows; SQLite leaves these numbers to
/// applications.
enum Control : int { ask_page_bytes = 0x4665726d, set_page_bytes, ask_damaged_page };

constexpr size_t header_bytes = 100;
constexpr int page_bytes_new = 4096;  ///< SQLite's own choice for a new file
constexpr const char* sums_parameter = "sums";

/// What SQLite knows as a file; the system's file is behind it.
struct LayerFile {
  sqlite3_file base{};
  sqlite3_file* real = nullptr;
  const char* name = nullptr;  ///< valid while the file is open
  bool is_database = false;
  int page_bytes = 0;  ///< 0 while pages are not summed, or not yet known to be
  uint32_t damaged_page = 0;
  std::vector<char> page;  ///< a page with its checksum on its way to the disk
  std::shared_ptr<IndexRoom> room;
};

LayerFile& mine(sqlite3_file* file) { return *reinterpret_cast<LayerFile*>(file); }
sqlite3_file* real(sqlite3_file* file) { return mine(file).real; }

/// Learns from the header of a database whether its pages are summed.
void learn(LayerFile& file, const void* from) {
  auto* header = static_cast<const unsigned char*>(from);
  int page_bytes = header[16] << 8 | header[17];
  if (page_bytes == 1) page_bytes = 65'536;
  file.page_bytes = header[20] == page_sum_bytes ? page_bytes : 0;
}

bool is_page(const LayerFile& file, int size, sqlite3_int64 at) {
  return file.page_bytes != 0 && size == file.page_bytes && at % file.page_bytes == 0;
}

struct PageSum {
  uint32_t checksum = 0;
  uint32_t number = 0;
  bool operator==(const PageSum&) const = default;
};
static_assert(sizeof(PageSum) == page_sum_bytes && std::endian::native == std::endian::little);

PageSum sum_of(const char* page, int page_bytes, sqlite3_int64 at) {
  auto content = static_cast<size_t>(page_bytes - page_sum_bytes);
  return {crc32c({page, content}), static_cast<uint32_t>(at / page_bytes + 1)};
}

/// A page that was made and given up within one transaction is never written and reads as zeros.
bool never_written(const char* page, int page_bytes) {
  return std::all_of(page, page + page_bytes, [](char c) { return c == 0; });
}

bool is_whole(const char* page, int page_bytes, sqlite3_int64 at) {
  PageSum stored;
  std::memcpy(&stored, page + page_bytes - page_sum_bytes, sizeof stored);
  if (stored == sum_of(page, page_bytes, at)) return true;
  return stored == PageSum{} && never_written(page, page_bytes);
}

int read(sqlite3_file* f, void* to, int size, sqlite3_int64 at) {
  LayerFile& file = mine(f);
  int result = file.real->pMethods->xRead(file.real, to, size, at);
  if (result != SQLITE_OK || !file.is_database) return result;
  if (at == 0 && static_cast<size_t>(size) >= header_bytes) learn(file, to);
  if (!is_page(file, size, at) || is_whole(static_cast<const char*>(to), size, at)) return result;
  file.damaged_page = static_cast<uint32_t>(at / size + 1);
  return SQLITE_IOERR_DATA;
}

int write(sqlite3_file* f, const void* from, int size, sqlite3_int64 at) {
  LayerFile& file = mine(f);
  if (file.is_database && at == 0 && static_cast<size_t>(size) >= header_bytes) learn(file, from);
  if (!file.is_database || !is_page(file, size, at))
    return file.real->pMethods->xWrite(file.real, from, size, at);
  auto bytes = static_cast<const char*>(from);
  file.page.assign(bytes, bytes + size);
  PageSum sum = sum_of(bytes, size, at);
  std::memcpy(file.page.data() + size - page_sum_bytes, &sum, sizeof sum);
  return file.real->pMethods->xWrite(file.real, file.page.data(), size, at);
}

int close_file(sqlite3_file* f) {
  LayerFile& file = mine(f);
  int result = file.real->pMethods->xClose(file.real);
  sqlite3_free(file.real);
  file.~LayerFile();
  return result;
}

int control(sqlite3_file* f, int operation, void* argument) {
  LayerFile& file = mine(f);
  switch (operation) {
    case ask_page_bytes: *static_cast<int*>(argument) = file.page_bytes; return SQLITE_OK;
    case set_page_bytes: file.page_bytes = *static_cast<int*>(argument); return SQLITE_OK;
    case ask_damaged_page: *static_cast<uint32_t*>(argument) = file.damaged_page; return SQLITE_OK;
    default: return file.real->pMethods->xFileControl(file.real, operation, argument);
  }
}

int shm_map(sqlite3_file* f, int region, int size, int extend, void volatile** out) {
  LayerFile& file = mine(f);
  int result = file.real->pMethods->xShmMap(file.real, region, size, extend, out);
  if (result != SQLITE_OK || *out == nullptr) return result;
  if (!file.room) file.room = IndexRoom::of(std::string(file.name) + "-shm");
  if (extend == 0) return result;
  result = file.room->secure(region, size);
  if (result != SQLITE_OK) *out = nullptr;
  return result;
}

int truncate(sqlite3_file* f, sqlite3_int64 size) {
  return real(f)->pMethods->xTruncate(real(f), size);
}
int sync(sqlite3_file* f, int flags) { return real(f)->pMethods->xSync(real(f), flags); }
int file_size(sqlite3_file* f, sqlite3_int64* size) {
  return real(f)->pMethods->xFileSize(real(f), size);
}
int lock(sqlite3_file* f, int level) { return real(f)->pMethods->xLock(real(f), level); }
int unlock(sqlite3_file* f, int level) { return real(f)->pMethods->xUnlock(real(f), level); }
int check_reserved(sqlite3_file* f, int* out) {
  return real(f)->pMethods->xCheckReservedLock(real(f), out);
}
int sector_size(sqlite3_file* f) { return real(f)->pMethods->xSectorSize(real(f)); }
int characteristics(sqlite3_file* f) {
  // Newer versions of SQLite may read part of a page, which no checksum covers, where they may.
  constexpr int subpage_read = 0x00008000;
  return real(f)->pMethods->xDeviceCharacteristics(real(f)) & ~subpage_read;
}
int shm_lock(sqlite3_file* f, int offset, int n, int flags) {
  return real(f)->pMethods->xShmLock(real(f), offset, n, flags);
}
void shm_barrier(sqlite3_file* f) { real(f)->pMethods->xShmBarrier(real(f)); }
int shm_unmap(sqlite3_file* f, int remove) { return real(f)->pMethods->xShmUnmap(real(f), remove); }

/// Version 2: no mapping of the database into memory, where it could not be looked at.
const sqlite3_io_methods methods = {2,
                                    close_file,
                                    read,
                                    write,
                                    truncate,
                                    sync,
                                    file_size,
                                    lock,
                                    unlock,
                                    check_reserved,
                                    control,
                                    sector_size,
                                    characteristics,
                                    shm_map,
                                    shm_lock,
                                    shm_barrier,
                                    shm_unmap,
                                    nullptr,
                                    nullptr};

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* f, int flags, int* flags_out) {
  // Tests put a disk that can fail beneath; it is the default one then.
  sqlite3_vfs* below = sqlite3_vfs_find(nullptr);
  f->pMethods = nullptr;
  auto* opened = static_cast<sqlite3_file*>(sqlite3_malloc(below->szOsFile));
  if (opened == nullptr) return SQLITE_NOMEM;
  std::memset(opened, 0, static_cast<size_t>(below->szOsFile));
  int result = below->xOpen(below, name, opened, flags, flags_out);
  if (result != SQLITE_OK) {
    sqlite3_free(opened);
    return result;
  }
  auto* file = new (f) LayerFile{};
  file->real = opened;
  file->name = name;
  file->is_database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
  if (file->is_database && sqlite3_uri_boolean(name, sums_parameter, 0) != 0)
    file->page_bytes = page_bytes_new;
  file->base.pMethods = &methods;
  return SQLITE_OK;
}

}  // namespace

std::string file_uri(const std::filesystem::path& file, std::string_view parameters) {
  std::string out = "file:";
  for (char c : std::filesystem::absolute(file).string()) {
    constexpr std::string_view digits = "0123456789abcdef";
    if (c == '?' || c == '#' || c == '%') {
      auto byte = static_cast<unsigned char>(c);
      out += {'%', digits[byte >> 4], digits[byte & 15]};
    } else {
      out += c;
    }
  }
  return out.append(parameters);
}

const char* file_layer() {
  static sqlite3_vfs layer = [] {
    sqlite3_vfs copy = *sqlite3_vfs_find("unix");
    copy.zName = "fermata";
    copy.pNext = nullptr;
    copy.szOsFile = sizeof(LayerFile);
    copy.xOpen = open_file;
    return copy;
  }();
  static const bool registered = sqlite3_vfs_register(&layer, 0) == SQLITE_OK;
  check(registered);
  return layer.zName;
}

void begin_page_sums(sqlite3* database) {
  int bytes = page_sum_bytes;
  sqlite3_file_control(database, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes);
  int page_bytes = page_bytes_new;
  sqlite3_file_control(database, "main", set_page_bytes, &page_bytes);
}

std::string summed_file_uri(const std::filesystem::path& file) {
  return file_uri(file, std::string("?") + sums_parameter + "=1");
}

bool has_page_sums(sqlite3* database) {
  int page_bytes = 0;
  sqlite3_file_control(database, "main", ask_page_bytes, &page_bytes);
  return page_bytes != 0;
}

uint32_t damaged_page(sqlite3* database) {
  uint32_t page = 0;
  sqlite3_file_control(database, "main", ask_damaged_page, &page);
  return page;
}

}  // namespace fermata::sqlite
