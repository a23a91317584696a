// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "simulation/report/terms.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "base/error.hpp"
#include "io/document.hpp"
#include "io/files.hpp"
#include "io/nearest.hpp"
#include "simulation/module.hpp"

namespace meander::simulation {
namespace {

constexpr std::string_view white = " \t\r\v\f";

struct Chosen {
  const Module* module = nullptr;
  int dim = 0;
};

std::string name_of(const Module& module, int dim) {
  return module.dims.size() == 1 ? module.name : fmt::format("{}-{}d", module.name, dim);
}

Chosen find_pde(const std::string& pde) {
  for (const Module* module : modules()) {
    for (const int dim : module->dims) {
      if (name_of(*module, dim) == pde) return {module, dim};
    }
  }
  throw InputError(fmt::format("--pde {}: there is no such equation{}", pde,
                               io::suggestion(pde, pde_names(), "there are")));
}

// The terms with the parameters of [solver] from the settings.
solvers::PointTerms terms_of(const Chosen& pde, const std::vector<std::string>& settings) {
  const auto document = io::Document::from_text("", "meander terms", settings);
  document.check_tables({"solver"}, {});
  const auto equation = pde.module->make();
  double cfl = 0.4;  // not used by the terms
  io::KeyTable keys("solver");
  equation->describe(keys, pde.dim, cfl);
  document.bind(keys, {{"equation", "is chosen by --pde"}});
  equation->set_up(keys, {}, {});
  return equation->terms(pde.dim);
}

class Reader {
 public:
  Reader(const solvers::PointTerms& terms, const std::string& name) : terms_(terms), name_(name) {}

  // Appends the terms for this line if it holds a row.
  void read(std::string_view line, int number, std::string& out) {
    number_ = number;
    line = line.substr(0, line.find('#'));
    row_.clear();
    for (std::size_t at = 0; (at = line.find_first_not_of(white, at)) != std::string_view::npos;) {
      const std::size_t end = std::min(line.find_first_of(white, at), line.size());
      row_.push_back(parse(std::string(line.substr(at, end - at)), at + 1));
      at = end;
    }
    if (row_.empty()) return;
    check_length();
    const auto N = static_cast<std::size_t>(terms_.unknowns);
    results_.resize(terms_.results.size());
    terms_.evaluate(row_.data(), row_.size() > N ? row_.data() + N : nullptr, results_.data());
    for (std::size_t i = 0; i < results_.size(); ++i) {
      if (!std::isfinite(results_[i])) {
        fail(fmt::format("the {} at this state is {}: the state is not admissible", terms_.results[i],
                         results_[i]));
      }
      out += fmt::format("{}{:.16e}", i == 0 ? "" : " ", results_[i]);
    }
    out += '\n';
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw InputError(fmt::format("{}:{}: {}", name_, number_, why));
  }

  double parse(const std::string& word, std::size_t column) const {
    char* end = nullptr;
    const double number = std::strtod(word.c_str(), &end);
    const auto refuse = [&](const char* why) {
      throw InputError(fmt::format("{}:{}:{}: '{}' {}", name_, number_, column, word, why));
    };
    if (end != word.c_str() + word.size()) refuse("is not a number");
    if (!std::isfinite(number)) refuse("is not a finite number");
    return number;
  }

  void check_length() const {
    const auto N = static_cast<std::size_t>(terms_.unknowns),
               all = N * static_cast<std::size_t>(terms_.dim + 1);
    if (row_.size() == all || (row_.size() == N && !terms_.needs_gradient)) return;
    const char* axes = terms_.dim == 2 ? "x and y" : "x, y and z";
    fail(fmt::format(
        "a row holds {}{} numbers, {} unknowns and their derivatives along {}, but this one has {}",
        terms_.needs_gradient ? "" : fmt::format("{} numbers, the unknowns, or ", N), all, N, axes,
        row_.size()));
  }

  const solvers::PointTerms& terms_;
  const std::string& name_;
  int number_ = 0;
  std::vector<double> row_, results_;
};

}  // namespace

std::vector<std::string> pde_names() {
  std::vector<std::string> names;
  for (const Module* module : modules()) {
    for (const int dim : module->dims) names.push_back(name_of(*module, dim));
  }
  return names;
}

std::string terms(const std::string& pde, const std::vector<std::string>& settings, const std::string& text,
                  const std::string& name) {
  const solvers::PointTerms terms = terms_of(find_pde(pde), settings);
  Reader reader(terms, name);
  std::istringstream lines(text);
  std::string line, out;
  for (int number = 1; std::getline(lines, line); ++number) reader.read(line, number, out);
  return out;
}

std::string terms_of_file(const std::string& pde, const std::vector<std::string>& settings,
                          const std::string& file) {
  if (!file.empty() && file != "-") return terms(pde, settings, io::read_text_file(file), file);
  terms_of(find_pde(pde), settings);  // checked before standard input is read
  return terms(pde, settings, io::read_standard_input(), "standard input");
}

}  // namespace meander::simulation
