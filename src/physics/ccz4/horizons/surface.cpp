// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#include "physics/ccz4/horizons/surface.hpp"

#include <cmath>

#include "physics/ccz4/exact/from_metric.hpp"

namespace meander::ccz4 {
namespace {

Symmetric<double> inverse_metric(const HorizonFields& f) {
  Symmetric<double> g;
  for (int n = 0; n < 6; ++n) g.of[n] = f.of[n];
  return exact::inverse(g);
}

// Gradient of F = r - h, and its outward unit normal s~^i in the conformal metric.
struct Normal {
  double gradient[3], conformal[3];
  double length;  // of the gradient in the conformal metric
};

Normal normal_of(const Symmetric<double>& raise, const SphereFrame& frame, const SphereDerivatives& h) {
  Normal normal{};
  const double by_theta = h.t / h.value, by_phi = h.p / (h.value * frame.sine);
  for (std::size_t i = 0; i < 3; ++i) {
    normal.gradient[i] = frame.outwards[i] - by_theta * frame.along_theta[i] - by_phi * frame.along_phi[i];
  }
  double square = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      normal.conformal[i] += raise(i, j) * normal.gradient[j];
      square += raise(i, j) * normal.gradient[i] * normal.gradient[j];
    }
  }
  normal.length = std::sqrt(square);
  for (double& component : normal.conformal) component /= normal.length;
  return normal;
}

// d_i d_j F.
Symmetric<double> curvature_of(const SphereFrame& frame, const SphereDerivatives& h) {
  const Point<3>&n = frame.outwards, &t = frame.along_theta, &p = frame.along_phi;
  const double r = h.value, r2 = r * r, s = frame.sine, c = frame.cosine;
  Symmetric<double> second;
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = i; j < 3; ++j) {
      const double delta = i == j ? 1.0 : 0.0;
      const double q_i = s * n[i] + c * t[i], q_j = s * n[j] + c * t[j];
      const double of_theta = (c / s * p[i] * p[j] - n[i] * t[j] - t[i] * n[j]) / r2;
      const double of_phi = -(p[i] * q_j + q_i * p[j]) / (r2 * s * s);
      second(static_cast<int>(i), static_cast<int>(j)) =
          (delta - n[i] * n[j]) / r - h.t * of_theta - h.p * of_phi - h.tt * t[i] * t[j] / r2 -
          h.tp * (t[i] * p[j] + p[i] * t[j]) / (r2 * s) - h.pp * p[i] * p[j] / (r2 * s * s);
    }
  }
  return second;
}

}  // namespace

SphereFrame::SphereFrame(double theta, double phi) : cosine(std::cos(theta)), sine(std::sin(theta)) {
  const double x = std::cos(phi), y = std::sin(phi);
  outwards = {sine * x, sine * y, cosine};
  along_theta = {cosine * x, cosine * y, -sine};
  along_phi = {-y, x, 0};
}

Expansion expansion(const HorizonFields& f, const SphereFrame& frame, const SphereDerivatives& h) {
  const Symmetric<double> raise = inverse_metric(f);
  const Normal normal = normal_of(raise, frame, h);
  const Symmetric<double> second = curvature_of(frame, h);
  double raised_gradient[3] = {};  // g~^lk d_k F
  for (int l = 0; l < 3; ++l) raised_gradient[l] = normal.length * normal.conformal[l];
  const double(&s)[3] = normal.conformal;
  double bending = 0, twist = 0, projected = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      double covariant = second(i, j);
      for (int l = 0; l < 3; ++l)
        covariant -= (f.D(i, j, l) + f.D(j, i, l) - f.D(l, i, j)) * raised_gradient[l];
      const double across = raise(i, j) - s[i] * s[j];
      bending += across * covariant;
      twist += f.At(i, j) * s[i] * s[j];
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      projected += across * ((i == j ? 1.0 : 0.0) - frame.outwards[a] * frame.outwards[b]);
    }
  }
  const double slope = s[0] * f.P(0) + s[1] * f.P(1) + s[2] * f.P(2), phi = f.phi();
  Expansion result;
  result.theta = phi * bending / normal.length - 2 * slope + twist - 2.0 / 3.0 * f.K();
  result.flow_weight = 2 * h.value * h.value * phi * normal.length / (phi * phi * projected);
  return result;
}

SurfaceElement surface_element(const HorizonFields& f, const SphereFrame& frame, const SphereDerivatives& h) {
  const Point<3>&n = frame.outwards, &t = frame.along_theta, &p = frame.along_phi;
  const double s = frame.sine, c = frame.cosine, phi = f.phi();
  SurfaceElement e;
  double bend[2][2][3];  // second derivatives of the position
  for (std::size_t i = 0; i < 3; ++i) {
    e.tangent[0][i] = h.t * n[i] + h.value * t[i];
    e.tangent[1][i] = h.p * n[i] + h.value * s * p[i];
    bend[0][0][i] = (h.tt - h.value) * n[i] + 2 * h.t * t[i];
    bend[0][1][i] = bend[1][0][i] = h.tp * n[i] + h.p * t[i] + (h.t * s + h.value * c) * p[i];
    bend[1][1][i] = h.pp * n[i] + 2 * h.p * s * p[i] - h.value * s * (s * n[i] + c * t[i]);
  }
  // q_AB and its derivatives d_C q_AB.
  double slope[2][2][2] = {};
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      const double metric = f.g(i, j) / (phi * phi);
      for (int A = 0; A < 2; ++A) {
        for (int B = 0; B < 2; ++B) {
          const double both = e.tangent[A][a] * e.tangent[B][b];
          e.metric[A][B] += metric * both;
          for (int C = 0; C < 2; ++C) {
            slope[C][A][B] += metric * (bend[C][A][a] * e.tangent[B][b] + e.tangent[A][a] * bend[C][B][b]);
            for (int k = 0; k < 3; ++k) {
              const double of_metric = 2 * (f.D(k, i, j) - f.g(i, j) * f.P(k) / phi) / (phi * phi);
              slope[C][A][B] += of_metric * e.tangent[C][static_cast<std::size_t>(k)] * both;
            }
          }
        }
      }
    }
  }
  const double det = e.metric[0][0] * e.metric[1][1] - e.metric[0][1] * e.metric[1][0];
  const double raise[2][2] = {{e.metric[1][1] / det, -e.metric[0][1] / det},
                              {-e.metric[1][0] / det, e.metric[0][0] / det}};
  for (int C = 0; C < 2; ++C) {
    for (int A = 0; A < 2; ++A) {
      for (int B = 0; B < 2; ++B) {
        for (int E = 0; E < 2; ++E)
          e.connection[C][A][B] += 0.5 * raise[C][E] * (slope[A][E][B] + slope[B][E][A] - slope[E][A][B]);
      }
    }
  }
  e.area = std::sqrt(det) / s;
  const Normal normal = normal_of(inverse_metric(f), frame, h);
  for (int j = 0; j < 3; ++j) {
    for (int i = 0; i < 3; ++i)
      e.momentum[static_cast<std::size_t>(j)] += f.At(i, j) * normal.conformal[i] / phi;
  }
  return e;
}

double length_of(const HorizonFields& f, const Point<3>& v) {
  double square = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j)
      square += f.g(i, j) * v[static_cast<std::size_t>(i)] * v[static_cast<std::size_t>(j)];
  }
  return std::sqrt(square) / f.phi();
}

}  // namespace meander::ccz4
