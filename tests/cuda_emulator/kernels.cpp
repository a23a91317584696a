// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "kernels.hpp"

#include <dlfcn.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <sstream>

#include "settings.hpp"
#include "streams.hpp"

// Set by the build: the folder of ptx_to_c.py and device_code.h.
#ifndef CUDA_EMULATOR_FOLDER
#error "CUDA_EMULATOR_FOLDER is not defined"
#endif

namespace cuda_emulator {
namespace {

namespace fs = std::filesystem;

struct Program {
  std::vector<std::string> modules;          // PTX
  std::map<const void*, std::string> names;  // by host function
  std::map<std::string, Kernel> kernels;     // of all modules, once one is needed
  std::map<const void*, Kernel*> of_functions;
  bool read = false;
};
Program& program() {
  static auto& all = *new Program;
  return all;
}

// What nvcc registers, and the file of cubins and PTX that it points to.
struct Wrapper {
  std::uint32_t magic, version;
  const std::uint8_t* data;
};
struct FileHeader {
  std::uint32_t magic;
  std::uint16_t version, header_size;
  std::uint64_t size;
};
struct EntryHeader {
  std::uint16_t kind, version;
  std::uint32_t header_size;
  std::uint64_t size;
};
constexpr std::uint16_t ptx_kind = 1;

// One process at a time works on a file of the cache.
class FileLock {
 public:
  explicit FileLock(const std::string& path) : file_(std::fopen(path.c_str(), "w")) {
    if (!file_ || flock(fileno(file_), LOCK_EX) != 0) give_up("cannot lock " + path);
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock() { std::fclose(file_); }

 private:
  std::FILE* file_;
};

void run(const std::string& command) {
  // A preloaded library, a sanitizer for one, is not for the compiler.
  const std::string alone = "LD_PRELOAD= bash -c \"" + command + "\"";
  if (std::system(alone.c_str()) != 0) give_up("failed: " + command);
}

std::string hash_of(const std::string& text) {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325ull;
  for (const char c : text) hash = (hash ^ static_cast<std::uint8_t>(c)) * 0x100000001b3ull;
  return fmt::format("{:016x}", hash);
}

// The translator is a part of what a kernel becomes.
std::string translator() {
  static const std::string hash = [] {
    std::string text;
    for (const char* name : {"ptx_to_c.py", "device_code.h"}) {
      std::ifstream in(std::string(CUDA_EMULATOR_FOLDER "/") + name);
      text.append(std::istreambuf_iterator<char>(in), {});
    }
    return hash_of(text).substr(0, 8);
  }();
  return hash;
}

void read_module(const std::string& ptx) {
  const std::string base = settings().cache + "/module-" + hash_of(ptx) + "-" + translator();
  fs::create_directories(settings().cache);
  {
    const FileLock lock(base + ".lock");
    if (!fs::exists(base + ".index")) {
      std::ofstream(base + ".ptx") << ptx;
      run("python3 " CUDA_EMULATOR_FOLDER "/ptx_to_c.py split " + base + ".ptx " + settings().cache + " > " +
          base + ".part && mv " + base + ".part " + base + ".index");
    }
  }
  std::ifstream index(base + ".index");
  std::string line;
  while (std::getline(index, line)) {
    std::istringstream in(line);
    Kernel kernel;
    std::string layout, item;
    in >> kernel.name >> kernel.key >> kernel.static_shared >> kernel.most_threads >>
        kernel.parameter_bytes >> layout;
    std::istringstream items(layout);
    while (std::getline(items, item, ',')) {
      const std::size_t colon = item.find(':');
      kernel.parameters.emplace_back(std::stoul(item.substr(0, colon)), std::stoul(item.substr(colon + 1)));
    }
    kernel.dynamic_shared.assign(static_cast<std::size_t>(settings().devices), 49152 - kernel.static_shared);
    program().kernels[kernel.name] = kernel;
  }
}

}  // namespace

void register_module(const void* fat_binary) {
  Wrapper wrapper;
  FileHeader file;
  std::memcpy(&wrapper, fat_binary, sizeof wrapper);
  std::memcpy(&file, wrapper.data, sizeof file);
  if (wrapper.magic != 0x466243b1 || file.magic != 0xba55ed50)
    give_up("a module that is no fat binary of nvcc");
  bool found = false;
  for (const std::uint8_t* at = wrapper.data + file.header_size;
       at < wrapper.data + file.header_size + file.size;) {
    EntryHeader entry;
    std::memcpy(&entry, at, sizeof entry);
    const char* const text = reinterpret_cast<const char*>(at + entry.header_size);
    if (entry.kind == ptx_kind &&
        std::string(text, 0, std::min<std::size_t>(entry.size, 4096)).find(".version") != std::string::npos) {
      program().modules.emplace_back(text, strnlen(text, entry.size));
      found = true;
    }
    at += entry.header_size + entry.size;
  }
  if (!found) give_up("a module without PTX, or with PTX that is compressed");
}

void register_function(const void* host_function, const char* name) {
  program().names[host_function] = name;
}

Kernel* kernel_of(const void* host_function) {
  Program& p = program();
  if (!p.read) {
    for (const std::string& ptx : p.modules) read_module(ptx);
    p.read = true;
  }
  const auto known = p.of_functions.find(host_function);
  if (known != p.of_functions.end()) return known->second;
  const auto name = p.names.find(host_function);
  if (name == p.names.end()) return nullptr;
  const auto kernel = p.kernels.find(name->second);
  if (kernel == p.kernels.end()) give_up("no PTX of kernel " + name->second);
  return p.of_functions[host_function] = &kernel->second;
}

void compile(Kernel& kernel) {
  static auto& one_at_a_time = *new std::mutex;
  const std::lock_guard lock(one_at_a_time);
  if (kernel.code) return;
  const std::string ptx = settings().cache + "/" + kernel.key + ".ptx";
  const std::string base =
      settings().cache + "/" + kernel.key + "-" + translator() + (settings().checks ? "-checked" : "");
  {
    const FileLock others(base + ".lock");
    if (!fs::exists(base + ".so")) {
      run("python3 " CUDA_EMULATOR_FOLDER "/ptx_to_c.py translate " + ptx + " > " + base +
          ".c && gcc -O1 -march=native " +
          "-ffp-contract=off -fno-math-errno -fno-strict-aliasing -w -fPIC -shared -I" CUDA_EMULATOR_FOLDER
          " " +
          (settings().checks ? "-DCHECK " : "") + base + ".c -o " + base + ".part && mv " + base + ".part " +
          base + ".so && rm " + base + ".c");
    }
  }
  void* const library = dlopen(fs::absolute(base + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const code = library ? dlsym(library, "kernel_thread") : nullptr;
  if (!code) give_up(dlerror());
  kernel.code = reinterpret_cast<void (*)(ThreadContext*)>(code);
}

void record_kernels() {
  if (settings().kernels.empty()) return;
  std::ofstream out(settings().kernels, std::ios::app);
  for (const auto& [name, kernel] : program().kernels)
    out << (kernel.code ? "RAN " : "KNOWN ") << name << '\n';
}

}  // namespace cuda_emulator
