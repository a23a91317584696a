// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/hdf5.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "io/hdf5_file_driver.hpp"

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

}  // namespace meander::io::hdf5
