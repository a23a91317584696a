// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/hdf5_file_driver.hpp"

#include <fcntl.h>
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
