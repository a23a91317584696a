// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
// `meander terms`: input and output, against references that are independent of the kernels' terms.

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <random>
#include <sstream>

#include "base/error.hpp"
#include "physics/ccz4/exact/metrics.hpp"
#include "simulation/report/terms.hpp"
#include "tests/reference/ccz4_by_tensors.hpp"
#include "tests/solvers/ccz4_states.hpp"

namespace meander::simulation {
namespace {

std::string row_of(const std::vector<double>& numbers) {
  return fmt::format("{:.16e}\n", fmt::join(numbers, " "));
}

std::vector<std::vector<double>> rows_of(const std::string& text) {
  std::vector<std::vector<double>> rows;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    rows.emplace_back();
    for (double number = 0; words >> number;) rows.back().push_back(number);
  }
  return rows;
}

std::string refused(const std::string& pde, const std::vector<std::string>& settings,
                    const std::string& text) {
  try {
    terms(pde, settings, text, "rows.txt");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

struct TermsCase {
  const char* what;
  std::vector<std::string> settings;
  ccz4::Parameters parameters;
};

std::vector<TermsCase> ccz4_cases() {
  // The paper has no damping of the ordering constraints.
  const std::string plain = "solver.ordering=0";
  ccz4::Parameters defaults;
  defaults.ordering = 0;
  ccz4::Parameters harmonic = defaults;
  harmonic.slicing = ccz4::Slicing::harmonic;
  harmonic.evolves_shift = false;
  harmonic.c = 0;
  ccz4::Parameters others = defaults;
  others.k1 = 0.4, others.k2 = -0.3, others.k3 = 1.0, others.tau = 0.7, others.eta = 1.3, others.f = 0.6;
  others.e = 1.3, others.mu = 0.3;
  return {{"defaults", {plain}, defaults},
          {"harmonic", {plain, "solver.slicing=harmonic", "solver.s=0", "solver.c=0"}, harmonic},
          {"others",
           {plain, "solver.k1=0.4", "solver.k2=-0.3", "solver.k3=1", "solver.tau=0.7", "solver.eta=1.3",
            "solver.f=0.6", "solver.e=1.3", "solver.mu=0.3"},
           others}};
}

TEST(Terms, OfCcz4AgreeWithFullTensorLoops) {
  constexpr std::size_t N = ccz4::unknowns;
  std::mt19937 engine(11);
  std::uniform_real_distribution<double> draw(-1, 1);
  for (const TermsCase& one : ccz4_cases()) {
    std::string text = "# Q, d_x Q, d_y Q, d_z Q\n\n";
    std::vector<std::vector<double>> points;
    for (int n = 0; n < 20; ++n) {
      std::vector<double> row(4 * N);
      for (double& number : row) number = draw(engine);
      ccz4::test::random_state(engine, row.data());
      for (std::size_t m = 0; m < ccz4::at::Theta; ++m) row[m] += 0.05 * draw(engine);
      for (std::size_t k = 0; k < 3; ++k) {
        row[(1 + k) * N + ccz4::at::a] = row[ccz4::at::A + k];
        row[(1 + k) * N + ccz4::at::phi] = row[ccz4::at::P + k];
      }
      text += row_of(row);
      points.push_back(row);
    }
    const auto rates = rows_of(terms("ccz4", one.settings, text, "rows.txt"));
    ASSERT_EQ(rates.size(), points.size());
    for (std::size_t n = 0; n < rates.size(); ++n) {
      long double expected[N];
      ccz4::reference::ByTensors(one.parameters, points[n].data(), points[n].data() + N).rates(expected);
      ASSERT_EQ(rates[n].size(), N);
      for (std::size_t m = 0; m < N; ++m) {
        const auto value = static_cast<double>(expected[m]);
        EXPECT_NEAR(rates[n][m], value, 1e-12 * (1 + std::abs(value)))
            << one.what << ", row " << n << ", unknown " << m;
      }
    }
  }
}

// Exact derivatives in space and time of a moving hole with spin, except for the gauge, which is not that of
// the solution.
TEST(Terms, OfCcz4AreTheExactRatesOfABlackHole) {
  using S = ccz4::exact::Jet<double>;
  constexpr std::size_t N = ccz4::unknowns;
  std::mt19937 engine(12);
  std::uniform_real_distribution<double> draw(-4, 4);
  for (int taken = 0; taken < 50;) {
    const double at[4] = {0.1 * draw(engine), draw(engine), draw(engine), draw(engine)};
    if (at[1] * at[1] + at[2] * at[2] + at[3] * at[3] < 2.0) continue;
    ++taken;
    S x[4], q[N];
    for (int a = 0; a < 4; ++a) x[a] = S::coordinate(at[a], a);
    ccz4::exact::from_metric(ccz4::exact::KerrSchild{1.0, 0.9, 0.54}, x, ccz4::Slicing::one_plus_log,
                             ccz4::exact::Gauge::free, q);
    std::vector<double> row(4 * N);
    double scale = 0;
    for (std::size_t n = 0; n < N; ++n) {
      row[n] = q[n].value;
      scale = std::max(scale, std::abs(q[n].d[0]));
      for (std::size_t a = 0; a < 3; ++a) {
        row[(1 + a) * N + n] = q[n].d[1 + a];
        scale = std::max(scale, std::abs(q[n].d[1 + a]));
      }
    }
    const auto rates = rows_of(terms("ccz4", {"solver.s=0"}, row_of(row), "rows.txt"));
    for (std::size_t n = 0; n < N; ++n) {
      if ((n >= ccz4::at::a && n < ccz4::at::D) || n == ccz4::at::K0) continue;
      EXPECT_NEAR(rates[0][n] / scale, q[n].d[0] / scale, 1e-11) << "unknown " << n;
    }
  }
}

TEST(Terms, OfEulerAreFluxesAndTheLargestWaveSpeed) {
  // rho = 2, v = (3, -1, 0.5), p = 0.7, gamma = 1.4.
  const double rho = 2, u = 3, v = -1, w = 0.5, p = 0.7, gamma = 1.4;
  const double E3 = p / (gamma - 1) + 0.5 * rho * (u * u + v * v + w * w), E2 = E3 - 0.5 * rho * w * w;
  const std::vector<double> in3 = {rho, rho * u, rho * v, rho * w, E3}, in2 = {rho, rho * u, rho * v, E2};
  const std::vector<double> out3 = {
      rho * u,      rho * u * u + p, rho * u * v,  rho * u * w,
      u * (E3 + p), rho * v,         rho * v * u,  rho * v * v + p,
      rho * v * w,  v * (E3 + p),    rho * w,      rho * w * u,
      rho * w * v,  rho * w * w + p, w * (E3 + p), u + std::sqrt(gamma * p / rho)};
  const std::vector<double> out2 = {rho * u,         rho * u * u + p, rho * u * v,
                                    u * (E2 + p),    rho * v,         rho * v * u,
                                    rho * v * v + p, v * (E2 + p),    u + std::sqrt(gamma * p / rho)};
  const auto check = [](const char* pde, std::vector<double> in, const std::vector<double>& out,
                        std::size_t dim) {
    std::string text = row_of(in);
    in.resize((dim + 1) * in.size(), 7.0);  // derivatives, which are not read
    text += row_of(in);
    const auto rows = rows_of(terms(pde, {}, text, "rows.txt"));
    ASSERT_EQ(rows.size(), 2U);
    for (const auto& row : rows) {
      ASSERT_EQ(row.size(), out.size());
      for (std::size_t n = 0; n < out.size(); ++n) EXPECT_NEAR(row[n], out[n], 1e-13) << pde << ' ' << n;
    }
  };
  check("euler-3d", in3, out3, 3);
  check("euler-2d", in2, out2, 2);
  // Mach 0 and another gamma.
  const auto rest = rows_of(terms("euler-2d", {"solver.gamma=2"}, "1 0 0 3\n", "rows.txt"));
  EXPECT_EQ(rest[0], (std::vector<double>{0, 3, 0, 0, 0, 0, 3, 0, std::sqrt(6.0)}));
}

TEST(Terms, ReadNumbersAsOtherProgramsWriteThem) {
  const std::string plain = terms("euler-2d", {}, "1 0 0 2.5\n", "rows.txt");
  for (const char* row :
       {"1 0 0 2.5", "\t+1.0e0   0 0.\t0x1.4p1 # a state\r\n", "\n# a comment\n  1 0 0 25E-1\n"})
    EXPECT_EQ(terms("euler-2d", {}, row, "rows.txt"), plain) << row;
  EXPECT_EQ(terms("euler-2d", {}, "", "rows.txt"), "");
  // 17 significant digits, which read back to the same bits.
  const double third = 1.0 / 3;
  const auto rows = rows_of(terms("euler-2d", {}, fmt::format("1 {:.17g} 0 3\n", third), "rows.txt"));
  EXPECT_EQ(rows[0][0], third);
}

TEST(Terms, PointAtMalformedRows) {
  EXPECT_EQ(
      refused("ccz4", {}, "# first\n1 2 3\n"),
      "rows.txt:2: a row holds 236 numbers, 59 unknowns and their derivatives along x, y and z, but this one "
      "has 3");
  EXPECT_EQ(refused("euler-2d", {}, "1 0 0 2\n1 0 0 2 1\n"),
            "rows.txt:2: a row holds 4 numbers, the unknowns, or 12 numbers, 4 unknowns and their "
            "derivatives along "
            "x and y, but this one has 5");
  EXPECT_EQ(refused("euler-2d", {}, "1 0 0 2\n\n 1 0 1,5 2\n"), "rows.txt:3:6: '1,5' is not a number");
  EXPECT_EQ(refused("euler-2d", {}, "1 0 nan 2"), "rows.txt:1:5: 'nan' is not a finite number");
  EXPECT_EQ(refused("euler-2d", {}, "1 0 1e999 2"), "rows.txt:1:5: '1e999' is not a finite number");
  EXPECT_EQ(refused("euler-2d", {}, "1 0 0 -2").substr(0, 51),
            "rows.txt:1: the largest wave speed at this state is");
}

TEST(Terms, PointAtWrongNames) {
  EXPECT_EQ(refused("ccz5", {}, ""), "--pde ccz5: there is no such equation; did you mean 'ccz4'?");
  EXPECT_EQ(refused("ccz4", {"solver.slcing=harmonic"}, ""),
            "--set solver.slcing=harmonic: solver.slcing: unknown key; did you mean 'slicing'?");
  EXPECT_EQ(refused("ccz4", {"solver.equation=euler"}, ""),
            "--set solver.equation=euler: solver.equation: is chosen by --pde");
  EXPECT_EQ(refused("ccz4", {"mesh.patch-size=9"}, ""),
            "--set mesh.patch-size=9: mesh: unknown table; tables are: solver");
}

}  // namespace
}  // namespace meander::simulation
