// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/hdf5.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <limits>

#include "base/process.hpp"

namespace meander::io::hdf5 {

namespace {

// An HDF5 file driver that survives a full disk. HDF5 1.10 cannot close a file whose last writes fail, and
// crashes when the process ends. This driver records the first failure and from then on discards all writes
// and reports success, so that the library can close the file. The owner of the file checks the recorded
// failure.

struct AccessInfo {
  int* first_errno;
};

struct File {
  H5FD_t base{};  // must be the first member: HDF5 casts to it
  int descriptor = -1;
  haddr_t allocated = 0;  // end of the space that HDF5 has allocated
  haddr_t written = 0;    // end of the file
  int* first_errno = nullptr;

  bool failed() const { return *first_errno != 0; }
  void note_failure() {
    if (!failed()) *first_errno = errno;
  }
};

File& of(H5FD_t* file) {
  return *reinterpret_cast<File*>(file);
}
const File& of(const H5FD_t* file) {
  return *reinterpret_cast<const File*>(file);
}

H5FD_t* open_file(const char* name, unsigned flags, hid_t access, haddr_t) {
  const auto* info = static_cast<const AccessInfo*>(H5Pget_driver_info(access));
  if (info == nullptr) return nullptr;
  const bool create = (flags & H5F_ACC_TRUNC) != 0;
  const int descriptor =
      ::open(name, (create ? O_RDWR | O_CREAT | O_TRUNC : O_RDONLY) | O_NONBLOCK | O_CLOEXEC, 0666);
  struct stat status {};
  const bool is_open = descriptor >= 0 && ::fstat(descriptor, &status) == 0;
  if (!is_open || !S_ISREG(status.st_mode)) {
    *info->first_errno = is_open ? EINVAL : errno;
    if (descriptor >= 0) ::close(descriptor);
    return nullptr;
  }
  auto* file = new File;
  file->descriptor = descriptor;
  file->written = static_cast<haddr_t>(status.st_size);
  file->first_errno = info->first_errno;
  return &file->base;
}

herr_t close_file(H5FD_t* base) {
  File& file = of(base);
  if (::close(file.descriptor) != 0) file.note_failure();
  delete &file;
  return 0;
}

herr_t query(const H5FD_t*, unsigned long* flags) {
  *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
           H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

haddr_t end_of_allocated(const H5FD_t* file, H5FD_mem_t) {
  return of(file).allocated;
}

herr_t set_end_of_allocated(H5FD_t* file, H5FD_mem_t, haddr_t end) {
  of(file).allocated = end;
  return 0;
}

haddr_t end_of_file(const H5FD_t* file, H5FD_mem_t) {
  return of(file).written;
}

herr_t read(H5FD_t* base, H5FD_mem_t, hid_t, haddr_t at, size_t size, void* buffer) {
  File& file = of(base);
  auto* bytes = static_cast<char*>(buffer);
  while (size > 0) {
    const ssize_t got = ::pread(file.descriptor, bytes, size, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) file.note_failure();
    if (got <= 0) {
      // Bytes beyond the end of the file, as after a failure, read as zero.
      std::memset(bytes, 0, size);
      return 0;
    }
    bytes += got;
    at += static_cast<haddr_t>(got);
    size -= static_cast<size_t>(got);
  }
  return 0;
}

herr_t write(H5FD_t* base, H5FD_mem_t, hid_t, haddr_t at, size_t size, const void* buffer) {
  File& file = of(base);
  const auto* bytes = static_cast<const char*>(buffer);
  while (size > 0 && !file.failed()) {
    const ssize_t put = ::pwrite(file.descriptor, bytes, size, static_cast<off_t>(at));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      file.note_failure();
      break;
    }
    bytes += put;
    at += static_cast<haddr_t>(put);
    size -= static_cast<size_t>(put);
  }
  file.written = std::max(file.written, at + size);
  return 0;
}

herr_t truncate_file(H5FD_t* base, hid_t, hbool_t) {
  File& file = of(base);
  if (file.allocated == file.written) return 0;
  if (!file.failed() && ::ftruncate(file.descriptor, static_cast<off_t>(file.allocated)) != 0)
    file.note_failure();
  file.written = file.allocated;
  return 0;
}

hid_t register_driver() {
  H5FD_class_t driver{};
  driver.name = "meander_surviving";
  driver.maxaddr = std::numeric_limits<off_t>::max();
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(AccessInfo);
  driver.open = open_file;
  driver.close = close_file;
  driver.query = query;
  driver.get_eoa = end_of_allocated;
  driver.set_eoa = set_end_of_allocated;
  driver.get_eof = end_of_file;
  driver.read = read;
  driver.write = write;
  driver.truncate = truncate_file;
  driver.lock = [](H5FD_t*, hbool_t) -> herr_t { return 0; };
  driver.unlock = [](H5FD_t*) -> herr_t { return 0; };
  const H5FD_mem_t free_lists[] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(free_lists), std::end(free_lists), driver.fl_map);
  return H5FDregister(&driver);
}

// Selects the driver for files opened with the access list `access`. `*first_errno` is set to the errno of
// the first failed call; it must be 0 initially and outlive the file. For new files and for reading. Takes no
// locks, which some parallel file systems lack. Returns a negative number on failure.
herr_t use_surviving_driver(hid_t access, int* first_errno) {
  static const hid_t driver = register_driver();
  const AccessInfo info{first_errno};
  return driver < 0 ? -1 : H5Pset_driver(access, driver, &info);
}

// Keeps the description closest to the cause.
herr_t find_reason(unsigned, const H5E_error2_t* error, void* data) {
  auto& reason = *static_cast<std::string*>(data);
  if (reason.empty() && error->desc != nullptr) reason = error->desc;
  return 0;
}

}  // namespace

void Writer::fail(const std::string& what) const {
  std::string reason;
  if (*first_errno_ != 0) {
    reason = std::strerror(*first_errno_);
  } else {
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, find_reason, &reason);
    if (reason.empty()) reason = "HDF5 gives no reason";
  }
  throw Failure(fmt::format("{}: cannot {}: {}", shown_, what, reason));
}

Handle Writer::checked(hid_t id, Handle::Close closer, const std::string& what) const {
  Handle handle(id, closer);
  check(id < 0 ? -1 : 0, what);
  return handle;
}

void Writer::check(herr_t code, const std::string& what) const {
  // The file driver hides failed writes from HDF5 and records their errno.
  if (code < 0 || *first_errno_ != 0) fail(what);
}

Handle Writer::dataset_creation(const std::string& what) const {
  Handle creation = checked(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, what);
  // Equal content gives equal bytes: no time stamps.
  check(H5Pset_obj_track_times(creation.get(), false), what);
  check(H5Pset_alloc_time(creation.get(), H5D_ALLOC_TIME_EARLY), what);
  check(H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER), what);
  return creation;
}

Writer::Writer(const std::string& path, std::string shown, int user_block)
    : shown_(std::move(shown)), first_errno_(std::make_unique<int>(0)) {
  // Failures become exceptions; HDF5 does not print its stack.
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const Handle access = checked(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "set up its access");
  // Closing the file also closes every object that is open in it.
  check(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG), "set up its access");
  check(use_surviving_driver(access.get(), first_errno_.get()), "set up its access");
  const Handle creation = checked(H5Pcreate(H5P_FILE_CREATE), H5Pclose, "set up its layout");
  check(H5Pset_userblock(creation.get(), static_cast<hsize_t>(user_block)), "set up its layout");
  file_ = checked(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get()), H5Fclose, "create");
}

Handle Writer::create_group(const std::string& path) {
  const Handle links = checked(H5Pcreate(H5P_LINK_CREATE), H5Pclose, "set up a group");
  check(H5Pset_create_intermediate_group(links.get(), 1), "set up a group");
  return checked(H5Gcreate2(file_.get(), path.c_str(), links.get(), H5P_DEFAULT, H5P_DEFAULT), H5Gclose,
                 "create group " + path);
}

Handle Writer::root() const {
  return checked(H5Gopen2(file_.get(), "/", H5P_DEFAULT), H5Gclose, "open its root");
}

void Writer::attribute(const Handle& object, const std::string& name, hid_t file_type, hid_t memory_type,
                       std::size_t count, const void* values) {
  const std::string what = "write attribute " + name;
  const hsize_t size = count;
  const Handle space =
      checked(count == 0 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &size, nullptr), H5Sclose, what);
  const Handle attribute =
      checked(H5Acreate2(object.get(), name.c_str(), file_type, space.get(), H5P_DEFAULT, H5P_DEFAULT),
              H5Aclose, what);
  check(H5Awrite(attribute.get(), memory_type, values), what);
}

void Writer::attribute(const Handle& object, const std::string& name, std::span<const double> values) {
  attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values.size(), values.data());
}
void Writer::attribute(const Handle& object, const std::string& name, std::span<const std::int64_t> values) {
  attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, values.size(), values.data());
}
void Writer::attribute(const Handle& object, const std::string& name, double value) {
  attribute(object, name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 0, &value);
}
void Writer::attribute(const Handle& object, const std::string& name, std::int64_t value) {
  attribute(object, name, H5T_STD_I64LE, H5T_NATIVE_INT64, 0, &value);
}
void Writer::attribute(const Handle& object, const std::string& name, const std::string& value) {
  const Handle type = checked(H5Tcopy(H5T_C_S1), H5Tclose, "write attribute " + name);
  check(H5Tset_size(type.get(), std::max<std::size_t>(1, value.size())), "write attribute " + name);
  attribute(object, name, type.get(), type.get(), 0, value.c_str());
}

void Writer::attribute(const Handle& object, const std::string& name, hid_t type, const void* value) {
  attribute(object, name, type, type, 0, value);
}

void Writer::text(const Handle& group, const std::string& name, const std::string& value) {
  const std::string what = "write " + name;
  const Handle type = checked(H5Tcopy(H5T_C_S1), H5Tclose, what);
  check(H5Tset_size(type.get(), std::max<std::size_t>(1, value.size())), what);
  check(H5Tset_cset(type.get(), H5T_CSET_UTF8), what);
  const Handle space = checked(H5Screate(H5S_SCALAR), H5Sclose, what);
  const Handle creation = dataset_creation(what);
  const Handle dataset = checked(H5Dcreate2(group.get(), name.c_str(), type.get(), space.get(), H5P_DEFAULT,
                                            creation.get(), H5P_DEFAULT),
                                 H5Dclose, what);
  check(H5Dwrite(dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, value.c_str()), what);
}

std::int64_t Writer::allocate(const Handle& group, const std::string& name, hid_t type, std::int64_t rows,
                              int columns) {
  const std::string what = "create " + name;
  const hsize_t size[2] = {static_cast<hsize_t>(rows), static_cast<hsize_t>(columns)};
  const Handle space = checked(H5Screate_simple(columns == 0 ? 1 : 2, size, nullptr), H5Sclose, what);
  const Handle creation = dataset_creation(what);
  const Handle dataset = checked(
      H5Dcreate2(group.get(), name.c_str(), type, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
      H5Dclose, what);
  const haddr_t offset = H5Dget_offset(dataset.get());
  check(offset == HADDR_UNDEF ? -1 : 0, what);
  return static_cast<std::int64_t>(offset);
}

void Writer::close() {
  check(H5Fflush(file_.get(), H5F_SCOPE_GLOBAL), "write");
  check(file_.close(), "close");
}

namespace {

// Features of HDF5 that this program never writes, and that a forged file could use to read other files, to load
// libraries, or to exhaust the memory: links other than hard links, external and virtual storage, filters, and sizes
// beyond the file's own.

constexpr std::size_t most_bytes_of_number = 16;
constexpr std::size_t most_bytes_of_text = std::size_t{1} << 25;

// Bytes of the values; negative: too many to count.
std::int64_t bytes_of(const Handle& type, const Handle& space) {
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  const std::size_t size = H5Tget_size(type.get());
  std::int64_t bytes = 0;
  if (count < 0 || size > static_cast<std::size_t>(std::numeric_limits<int>::max()) ||
      __builtin_mul_overflow(static_cast<std::int64_t>(count), static_cast<std::int64_t>(size), &bytes)) {
    return -1;
  }
  return bytes;
}

std::string why_wrong_type(const Handle& type) {
  const H5T_class_t kind = H5Tget_class(type.get());
  const std::size_t size = H5Tget_size(type.get());
  if (kind == H5T_STRING) {
    if (H5Tis_variable_str(type.get()) != 0) return "is a string outside its object";
    return size > most_bytes_of_text ? fmt::format("is a string of {} bytes", size) : "";
  }
  const bool is_number = kind == H5T_INTEGER || kind == H5T_FLOAT;
  // Compound types of integers are read by their offset only.
  if (kind == H5T_COMPOUND) return "";
  return is_number && size <= most_bytes_of_number ? "" : "is of a type that is never written";
}

// Never load libraries for filters, whatever the environment says. Call before a file is opened.
void forbid_plugins() {
  static const herr_t done = H5PLset_loading_state(0);
  static_cast<void>(done);
}

// All functions return the reason to refuse the object, or nothing.

// The path of an object, component by component.
std::string why_not_followed(hid_t file, const std::string& path) {
  for (std::size_t end = 0; end < path.size();) {
    const std::size_t begin = path.find_first_not_of('/', end);
    if (begin == std::string::npos) return "";
    end = std::min(path.find('/', begin), path.size());
    H5L_info_t info;
    if (H5Lget_info(file, path.substr(0, end).c_str(), &info, H5P_DEFAULT) < 0) return "does not exist";
    if (info.type != H5L_TYPE_HARD) return "is a link out of its group, which is never written";
  }
  return "";
}

// A dataset before it is opened: not in another file. HDF5 1.10 loses memory if it opens one whose list of such files is damaged.
std::string why_not_opened(hid_t file, const std::string& path) {
  // The number of this message in object headers (HDF5 file format, IV.A.2.h).
  constexpr unsigned external_files = 7;
#if H5_VERSION_GE(1, 12, 0)
  H5O_native_info_t info;
  const herr_t code = H5Oget_native_info_by_name(file, path.c_str(), &info, H5O_NATIVE_INFO_HDR, H5P_DEFAULT);
#else
  H5O_info_t info;
  const herr_t code = H5Oget_info_by_name2(file, path.c_str(), &info, H5O_INFO_HDR, H5P_DEFAULT);
#endif
  if (code < 0) return "is damaged";
  const bool is_outside = (info.hdr.mesg.present >> external_files & 1U) != 0;
  return is_outside ? "is stored in another file, which is never written" : "";
}

// A dataset: contiguous, without filters, its values in the first `file_bytes` bytes, and numbers or one
// string.
std::string why_not_read(hid_t dataset, std::int64_t file_bytes) {
  const Handle creation(H5Dget_create_plist(dataset), H5Pclose);
  if (H5Pget_layout(creation.get()) != H5D_CONTIGUOUS)
    return "is not stored in one piece, as this program writes it";
  if (H5Pget_nfilters(creation.get()) != 0) return "has filters, which are never written";
  const Handle type(H5Dget_type(dataset), H5Tclose);
  const Handle space(H5Dget_space(dataset), H5Sclose);
  if (std::string why = why_wrong_type(type); !why.empty()) return why;
  const std::int64_t bytes = bytes_of(type, space);
  if (bytes == 0) return "";
  const haddr_t offset = H5Dget_offset(dataset);
  const bool fits = bytes > 0 && bytes <= file_bytes && offset != HADDR_UNDEF &&
                    offset <= static_cast<haddr_t>(file_bytes - bytes);
  return fits ? "" : "has more values than the file holds";
}

// The values of an attribute: numbers or one string.
std::string why_attribute_not_read(hid_t attribute, std::int64_t file_bytes) {
  const Handle type(H5Aget_type(attribute), H5Tclose);
  const Handle space(H5Aget_space(attribute), H5Sclose);
  if (std::string why = why_wrong_type(type); !why.empty()) return why;
  const std::int64_t bytes = bytes_of(type, space);
  return bytes >= 0 && bytes <= file_bytes ? "" : "has more values than the file holds";
}

}  // namespace

Reader::Reader(const std::string& path, std::string shown)
    : shown_(std::move(shown)), first_errno_(std::make_unique<int>(0)) {
  forbid_plugins();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const Handle access = checked(H5Pcreate(H5P_FILE_ACCESS), H5Pclose, "the file");
  check(H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG), "the file");
  check(use_surviving_driver(access.get(), first_errno_.get()), "the file");
  file_ = checked(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose, "the file");
  hsize_t bytes = 0;
  check(H5Fget_filesize(file_.get(), &bytes), "the file");
  file_bytes_ = static_cast<std::int64_t>(bytes);
}

Handle Reader::checked(hid_t id, Handle::Close closer, const std::string& what) const {
  Handle handle(id, closer);
  check(id < 0 ? -1 : 0, what);
  return handle;
}

void Reader::check(herr_t code, const std::string& what) const {
  if (code < 0 || *first_errno_ != 0) throw Failure(fmt::format("{}: HDF5 cannot read {}", shown_, what));
}

void Reader::refuse_if(const std::string& why, const std::string& what) const {
  if (!why.empty()) throw Failure(fmt::format("{}: HDF5 cannot read {}: it {}", shown_, what, why));
}

void Reader::follow(const std::string& path) const {
  refuse_if(why_not_followed(file_.get(), path), path);
}

Handle Reader::attribute(const std::string& object, const std::string& name) const {
  follow(object);
  const std::string what = fmt::format("attribute {} of {}", name, object);
  Handle id = checked(H5Aopen_by_name(file_.get(), object.c_str(), name.c_str(), H5P_DEFAULT, H5P_DEFAULT),
                      H5Aclose, what);
  refuse_if(why_attribute_not_read(id.get(), file_bytes_), what);
  return id;
}

Handle Reader::dataset(const std::string& path) const {
  follow(path);
  refuse_if(why_not_opened(file_.get(), path), path);
  Handle id = checked(H5Dopen2(file_.get(), path.c_str(), H5P_DEFAULT), H5Dclose, path);
  refuse_if(why_not_read(id.get(), file_bytes_), path);
  return id;
}

namespace {

template <class T>
std::vector<T> values_for(hid_t attribute) {
  const Handle space(H5Aget_space(attribute), H5Sclose);
  return std::vector<T>(
      static_cast<std::size_t>(std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space.get()))));
}

// Whether it is one string of fixed length, as Meander writes it; more would overrun the buffer.
bool is_one_text(const Handle& type, const Handle& space) {
  return H5Tget_class(type.get()) == H5T_STRING && H5Tis_variable_str(type.get()) == 0 &&
         H5Sget_simple_extent_npoints(space.get()) == 1;
}

}  // namespace

std::vector<std::int64_t> Reader::integers(const std::string& object, const std::string& name) const {
  const Handle id = attribute(object, name);
  auto values = values_for<std::int64_t>(id.get());
  check(H5Aread(id.get(), H5T_NATIVE_INT64, values.data()), name);
  return values;
}

std::vector<double> Reader::numbers(const std::string& object, const std::string& name) const {
  const Handle id = attribute(object, name);
  auto values = values_for<double>(id.get());
  check(H5Aread(id.get(), H5T_NATIVE_DOUBLE, values.data()), name);
  return values;
}

std::int64_t Reader::integer(const std::string& object, const std::string& name) const {
  const auto values = integers(object, name);
  check(values.size() == 1 ? 0 : -1, name);
  return values[0];
}

int Reader::integer(const std::string& object, const std::string& name, int least, int greatest) const {
  const std::int64_t value = integer(object, name);
  if (value < least || value > greatest)
    throw Failure(fmt::format("{}: {} = {} is invalid", shown_, name, value));
  return static_cast<int>(value);
}

std::vector<std::int64_t> Reader::integers(const std::string& object, const std::string& name,
                                           std::size_t count) const {
  auto values = integers(object, name);
  check(values.size() == count ? 0 : -1, name);
  return values;
}

std::vector<double> Reader::numbers(const std::string& object, const std::string& name,
                                    std::size_t count) const {
  auto values = numbers(object, name);
  check(values.size() == count ? 0 : -1, name);
  return values;
}

double Reader::number(const std::string& object, const std::string& name) const {
  const auto values = numbers(object, name);
  check(values.size() == 1 ? 0 : -1, name);
  return values[0];
}

std::string Reader::text(const std::string& object, const std::string& name) const {
  const Handle id = attribute(object, name);
  const Handle type = checked(H5Aget_type(id.get()), H5Tclose, name);
  check(is_one_text(type, Handle(H5Aget_space(id.get()), H5Sclose)) ? 0 : -1, name);
  std::string value(H5Tget_size(type.get()), '\0');
  check(H5Aread(id.get(), type.get(), value.data()), name);
  return value.c_str();
}

std::vector<std::string> Reader::attribute_names(const std::string& object) const {
  follow(object);
  const Handle id = checked(H5Oopen(file_.get(), object.c_str(), H5P_DEFAULT), H5Oclose, object);
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5A_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  check(H5Aiterate2(id.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names), object);
  return names;
}

bool Reader::has(const std::string& object) const {
  return why_not_followed(file_.get(), object).empty();
}

std::vector<std::string> Reader::names(const std::string& path) const {
  follow(path);
  const Handle group = checked(H5Gopen2(file_.get(), path.c_str(), H5P_DEFAULT), H5Gclose, path);
  std::vector<std::string> names;
  const auto add = [](hid_t, const char* name, const H5L_info_t*, void* list) -> herr_t {
    static_cast<std::vector<std::string>*>(list)->emplace_back(name);
    return 0;
  };
  check(H5Literate(group.get(), H5_INDEX_NAME, H5_ITER_INC, nullptr, add, &names), path);
  return names;
}

std::vector<double> Reader::values(const std::string& path) const {
  const Handle id = dataset(path);
  const Handle space = checked(H5Dget_space(id.get()), H5Sclose, path);
  const hssize_t count = std::max<hssize_t>(0, H5Sget_simple_extent_npoints(space.get()));
  // A sparse file may hold more than its disk.
  if (sizeof(double) * static_cast<double>(count) > available_memory())
    refuse_if(fmt::format("has {} values, more than the memory holds", count), path);
  std::vector<double> values(static_cast<std::size_t>(count));
  check(H5Dread(id.get(), H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), path);
  return values;
}

std::string Reader::text(const std::string& path) const {
  const Handle id = dataset(path);
  const Handle type = checked(H5Dget_type(id.get()), H5Tclose, path);
  check(is_one_text(type, Handle(H5Dget_space(id.get()), H5Sclose)) ? 0 : -1, path);
  std::string value(H5Tget_size(type.get()), '\0');
  check(H5Dread(id.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, value.data()), path);
  // An empty text is written as one zero.
  return value == std::string(1, '\0') ? std::string() : value;
}

std::int64_t Reader::offset(const std::string& path) const {
  const haddr_t at = H5Dget_offset(dataset(path).get());
  check(at == HADDR_UNDEF ? -1 : 0, path);
  return static_cast<std::int64_t>(at);
}

std::int64_t Reader::rows(const std::string& path) const {
  const Handle space = checked(H5Dget_space(dataset(path).get()), H5Sclose, path);
  hsize_t size[H5S_MAX_RANK] = {};
  check(H5Sget_simple_extent_dims(space.get(), size, nullptr), path);
  return static_cast<std::int64_t>(size[0]);
}

Reader::Stored Reader::stored(const std::string& path) const {
  const Handle id = dataset(path);
  const Handle type = checked(H5Dget_type(id.get()), H5Tclose, path);
  const Handle space = checked(H5Dget_space(id.get()), H5Sclose, path);
  hsize_t size[H5S_MAX_RANK] = {};
  const int rank = H5Sget_simple_extent_dims(space.get(), size, nullptr);
  check(rank, path);
  Stored stored;
  stored.shape.assign(size, size + rank);
  stored.float_bytes = H5Tequal(type.get(), H5T_IEEE_F64LE) > 0   ? 8
                       : H5Tequal(type.get(), H5T_IEEE_F32LE) > 0 ? 4
                                                                  : 0;
  // An empty dataset has no place.
  const haddr_t at = H5Dget_offset(id.get());
  stored.offset = at == HADDR_UNDEF ? 0 : static_cast<std::int64_t>(at);
  return stored;
}

}  // namespace meander::io::hdf5
