// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// Compiled for baseline x86-64. Does not use the standard library, which may not be initialised yet.
#include "base/cpu_check.hpp"

#include <unistd.h>

namespace meander {

namespace {

#if defined(__x86_64__)
// __builtin_cpu_supports takes literals only.
#define MEANDER_LACKS(bit, name) \
  { name, ((needed >> (bit)) & 1u) != 0 && !__builtin_cpu_supports(name) }
#else
#define MEANDER_LACKS(bit, name) \
  { name, false }
#endif

int append(char* text, int length, int size, const char* more) {
  for (; *more != 0 && length + 1 < size; ++more) text[length++] = *more;
  text[length] = 0;
  return length;
}

void print(const char* text) {
  int length = 0;
  while (text[length] != 0) ++length;
  // A failure to write cannot be reported anywhere.
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, static_cast<unsigned>(length));
}

}  // namespace

int missing_cpu_features(unsigned needed, char* names, int size) {
#if defined(__x86_64__)
  __builtin_cpu_init();
#endif
  struct Feature {
    const char* name;
    bool lacking;
  };
  const Feature features[] = {
      MEANDER_LACKS(0, "sse4.2"),        MEANDER_LACKS(1, "popcnt"),
      MEANDER_LACKS(2, "avx"),           MEANDER_LACKS(3, "avx2"),
      MEANDER_LACKS(4, "fma"),           MEANDER_LACKS(5, "bmi"),
      MEANDER_LACKS(6, "bmi2"),          MEANDER_LACKS(7, "avx512f"),
      MEANDER_LACKS(8, "avx512cd"),      MEANDER_LACKS(9, "avx512bw"),
      MEANDER_LACKS(10, "avx512dq"),     MEANDER_LACKS(11, "avx512vl"),
      MEANDER_LACKS(12, "avx512ifma"),   MEANDER_LACKS(13, "avx512vbmi"),
      MEANDER_LACKS(14, "avx512vbmi2"),  MEANDER_LACKS(15, "avx512vnni"),
      MEANDER_LACKS(16, "avx512bitalg"), MEANDER_LACKS(17, "avx512vpopcntdq"),
  };
  int missing = 0, length = append(names, 0, size, "");
  for (const Feature& feature : features) {
    if (!feature.lacking) continue;
    if (missing++ > 0) length = append(names, length, size, ", ");
    length = append(names, length, size, feature.name);
  }
  return missing;
}

void require_cpu_features() {
  char names[256];
  if (missing_cpu_features(compiled_cpu_features, names, sizeof names) == 0) return;
  print("meander: this program was compiled for a processor with ");
  print(names);
  print(
      ", which this one lacks.\nBuild it on this machine, or for all: cmake --preset release "
      "-DMEANDER_ARCH=x86-64-v3 (or x86-64).\n");
  _exit(1);
}

}  // namespace meander
