// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "io/hdf5_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace meander::io::hdf5 {

namespace {

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

}  // namespace

void forbid_plugins() {
  static const herr_t done = H5PLset_loading_state(0);
  static_cast<void>(done);
}

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

std::string why_attribute_not_read(hid_t attribute, std::int64_t file_bytes) {
  const Handle type(H5Aget_type(attribute), H5Tclose);
  const Handle space(H5Aget_space(attribute), H5Sclose);
  if (std::string why = why_wrong_type(type); !why.empty()) return why;
  const std::int64_t bytes = bytes_of(type, space);
  return bytes >= 0 && bytes <= file_bytes ? "" : "has more values than the file holds";
}

}  // namespace meander::io::hdf5
