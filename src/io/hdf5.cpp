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

namespace meander::io::hdf5 {

namespace {

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

}  // namespace

herr_t use_surviving_driver(hid_t access, int* first_errno) {
  static const hid_t driver = register_driver();
  const AccessInfo info{first_errno};
  return driver < 0 ? -1 : H5Pset_driver(access, driver, &info);
}

}  // namespace meander::io::hdf5
