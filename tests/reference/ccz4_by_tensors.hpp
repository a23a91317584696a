// SPDX-FileCopyrightText: 2026 the Meander authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
// An independent implementation of first-order CCZ4 as a reference for the optimised terms: in logarithms of
// lapse and conformal factor, with full three-index loops, every tensor with all its components, every term
// as in Dumbser et al. (2018, arXiv:1707.09910), and second derivatives in symmetrised order. It uses long
// double, is slow, and shares with src only the order of the unknowns and the names of the parameters.

#include <cmath>

#include "physics/ccz4/parameters.hpp"

namespace meander::ccz4::reference {

using Real = long double;

class ByTensors {
 public:
  // q: 59 unknowns with lapse and phi themselves, not their logarithms; gradient[59 * axis + n]. The
  // derivatives of lapse and phi are A_k and P_k.
  ByTensors(const Parameters& parameters, const double* q, const double* gradient) : p(parameters) {
    read(q, gradient);
    inverse();
    connection();
    curvature();
    traces();
  }

  Real damping() const { return p.damps_with_lapse ? a * p.k1 : Real(p.k1); }

  // R + 2/3 K^2 - A~_ij A~^ij, and M_i.
  Real hamiltonian() const { return ricci_scalar + 2 * K * K / 3 - AA; }
  Real momentum(int i) const {
    Real sum = -2 * dK_[i] / 3;
    for (int j = 0; j < 3; ++j) {
      for (int l = 0; l < 3; ++l) {
        sum += gi[j][l] * dAt[l][i][j] - 3 * At[i][j] * gi[j][l] * P[l];
        for (int m = 0; m < 3; ++m) sum -= gi[j][l] * (Gu[m][l][i] * At[m][j] + Gu[m][l][j] * At[i][m]);
      }
    }
    return sum;
  }

  // Rates of the stored unknowns.
  void rates(Real* rate) const {
    const Real s = p.evolves_shift ? 1 : 0, w = p.mu * a * a;
    const Real gs = p.slicing == Slicing::harmonic ? Real(1) : 2 / a;          // g(a)
    const Real dgs = p.slicing == Slicing::harmonic ? Real(0) : -2 / (a * a);  // g'
    const Real c = p.c, slice = K - K0 - 2 * c * Theta;
    Real ln_a = -a * gs * slice, ln_phi = (a * K - divB) / 3;
    for (int k = 0; k < 3; ++k) ln_a += beta[k] * A[k], ln_phi += beta[k] * P[k];
    rate[16] = a * ln_a;
    rate[54] = phi * ln_phi;
    rate[58] = 0;
    for (int i = 0; i < 3; ++i) {
      for (int j = i; j < 3; ++j) {
        Real dg =
            -2 * divB * g[i][j] / 3 - 2 * a * (At[i][j] - g[i][j] * trA / 3) - (det - 1) * g[i][j] / p.tau;
        Real dA = At_advected(i, j) - 2 * At[i][j] * divB / 3 + a * At[i][j] * (K - 2 * c * Theta) -
                  g[i][j] * trA / p.tau + S[i][j] - g[i][j] * trS / 3;
        for (int k = 0; k < 3; ++k) {
          dg += 2 * beta[k] * D[k][i][j] + g[k][i] * B[j][k] + g[k][j] * B[i][k];
          dA += At[k][i] * B[j][k] + At[k][j] * B[i][k];
          for (int l = 0; l < 3; ++l) dA -= 2 * a * At[i][l] * gi[l][k] * At[k][j];
        }
        rate[pair[i][j]] = dg;
        rate[6 + pair[i][j]] = dA;
      }
    }
    Real dK = a * scalar + a * K * (K - 2 * c * Theta) - 3 * damping() * (1 + p.k2) * Theta - laplacian;
    Real dTheta = a * p.e * p.e / 2 * (scalar + 2 * K * K / 3 - AA) - a * c * K * Theta -
                  damping() * (2 + p.k2) * Theta;
    for (int k = 0; k < 3; ++k)
      dK += beta[k] * dK_[k], dTheta += beta[k] * dTheta_[k] - a * phi * phi * Zup[k] * A[k];
    rate[53] = dK;
    rate[12] = dTheta;
    for (int i = 0; i < 3; ++i) {
      Real dG = 2 * Gt[i] * divB / 3 - 2 * damping() * Zup[i] + 2 * p.k3 * 2 * Zup[i] * divB / 3, LG = 0,
           Lb = 0, Lbeta = 0;
      for (int k = 0; k < 3; ++k) {
        LG += beta[k] * dG_[k][i];
        Lb += beta[k] * db[k][i];
        Lbeta += beta[k] * B[k][i];
        dG += -6 * a * Aup[i][k] * P[k] - 4 * a * gi[i][k] * dK_[k] / 3 +
              2 * a * gi[k][i] * (dTheta_[k] - A[k] * Theta - 2 * K * Z[k] / 3) - 2 * a * Aup[i][k] * A[k] -
              Gt[k] * B[k][i] - 2 * p.k3 * Zup[k] * B[k][i] + 2 * s * a * gi[i][k] * T[k];
        for (int l = 0; l < 3; ++l) {
          dG += 2 * a * Gu[i][k][l] * Aup[k][l] + gi[k][l] * dBs[k][l][i] + gi[i][k] * dBs[k][l][l] / 3;
        }
      }
      rate[13 + i] = LG + dG;
      rate[17 + i] = s * (Lbeta + p.f * b[i]);
      rate[20 + i] = s * (Lb + dG - p.eta * b[i]);
    }
    for (int k = 0; k < 3; ++k) {
      Real dA = -a * gs * (dK_[k] - dK0[k] - 2 * c * dTheta_[k]) - s * a * gs * T[k] -
                a * A[k] * slice * (gs + a * dgs);
      Real dP = a * (dK_[k] + A[k] * K) / 3 + s * a * T[k] / 3;
      for (int l = 0; l < 3; ++l) {
        dA += beta[l] * dA_[l][k] + B[k][l] * A[l];
        dP += beta[l] * dP_[l][k] + B[k][l] * P[l] - dBs[k][l][l] / 3;
      }
      rate[23 + k] = a * dA + a * A[k] * ln_a;
      rate[55 + k] = phi * dP + phi * P[k] * ln_phi;
      for (int i = 0; i < 3; ++i) {
        Real dB = p.f * db[k][i];
        for (int l = 0; l < 3; ++l) {
          dB += beta[l] * dB_[l][k][i] + B[k][l] * B[l][i] + w * gi[i][l] * (dP_[k][l] - dP_[l][k]);
          for (int n = 0; n < 3; ++n) {
            for (int j = 0; j < 3; ++j) dB -= w * gi[i][j] * gi[n][l] * (dD[k][l][j][n] - dD[l][k][j][n]);
          }
        }
        rate[26 + 3 * k + i] = s * dB;
        for (int j = i; j < 3; ++j) {
          Real x = -a * dAt[k][i][j] + a * g[i][j] * T[k] / 3 - 2 * divB * D[k][i][j] / 3 -
                   a * A[k] * (At[i][j] - g[i][j] * trA / 3);
          for (int m = 0; m < 3; ++m) {
            x += beta[m] * dD[m][k][i][j] + g[m][i] * dBs[k][j][m] / 2 + g[m][j] * dBs[k][i][m] / 2 -
                 g[i][j] * dBs[k][m][m] / 3 + B[k][m] * D[m][i][j] + B[j][m] * D[k][m][i] +
                 B[i][m] * D[k][m][j];
          }
          rate[35 + 6 * k + pair[i][j]] = x;
        }
      }
    }
  }

 private:
  static constexpr int pair[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

  void read(const double* q, const double* d) {
    a = q[16], phi = q[54], K = q[53], K0 = q[58], Theta = q[12];
    for (int i = 0; i < 3; ++i) {
      beta[i] = q[17 + i], b[i] = q[20 + i], G[i] = q[13 + i], A[i] = q[23 + i] / a, P[i] = q[55 + i] / phi;
      dK_[i] = d[59 * i + 53], dK0[i] = d[59 * i + 58], dTheta_[i] = d[59 * i + 12];
      for (int j = 0; j < 3; ++j) {
        g[i][j] = q[pair[i][j]], At[i][j] = q[6 + pair[i][j]], B[i][j] = q[26 + 3 * i + j];
        dG_[i][j] = d[59 * i + 13 + j], db[i][j] = d[59 * i + 20 + j];
        for (int k = 0; k < 3; ++k) {
          D[k][i][j] = q[35 + 6 * k + pair[i][j]];
          dAt[k][i][j] = d[59 * k + 6 + pair[i][j]], dB_[k][i][j] = d[59 * k + 26 + 3 * i + j];
          for (int m = 0; m < 3; ++m) dD[m][k][i][j] = d[59 * m + 35 + 6 * k + pair[i][j]];
        }
      }
    }
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {  // d_i of the logarithms' gradients
        dA_[i][j] = d[59 * i + 23 + j] / a - A[i] * A[j], dP_[i][j] = d[59 * i + 55 + j] / phi - P[i] * P[j];
        for (int k = 0; k < 3; ++k) dBs[i][j][k] = (dB_[i][j][k] + dB_[j][i][k]) / 2;
        for (int m = 0; m < 3; ++m) {
          for (int l = 0; l < 3; ++l) dDs[m][i][j][l] = (dD[m][i][j][l] + dD[i][m][j][l]) / 2;
        }
      }
    }
  }

  void inverse() {
    det = 0;
    for (int i = 0; i < 3; ++i) {
      const int j = (i + 1) % 3, k = (i + 2) % 3;
      det += g[0][i] * (g[1][j] * g[2][k] - g[1][k] * g[2][j]);
    }
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
        gi[j][i] = (g[i1][j1] * g[i2][j2] - g[i1][j2] * g[i2][j1]) / det;
      }
    }
  }

  void connection() {
    for (int l = 0; l < 3; ++l)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) Gl[l][i][j] = D[i][j][l] + D[j][i][l] - D[l][i][j];
    for (int k = 0; k < 3; ++k) {
      Gt[k] = 0;
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          Gu[k][i][j] = 0, Dup[k][i][j] = 0;
          for (int l = 0; l < 3; ++l) {
            Gu[k][i][j] += gi[k][l] * Gl[l][i][j];
            for (int m = 0; m < 3; ++m) Dup[k][i][j] += gi[i][l] * gi[j][m] * D[k][l][m];
          }
          Gt[k] += gi[i][j] * Gu[k][i][j];
        }
      }
    }
    for (int m = 0; m < 3; ++m) {
      for (int k = 0; k < 3; ++k) {
        for (int i = 0; i < 3; ++i) {
          for (int j = 0; j < 3; ++j) {
            Real x = 0;
            for (int l = 0; l < 3; ++l)
              x += gi[k][l] * (dDs[m][i][j][l] + dDs[m][j][i][l] - dDs[m][l][i][j]) -
                   2 * Dup[m][k][l] * Gl[l][i][j];
            dGu[m][k][i][j] = x;
          }
        }
      }
      for (int i = 0; i < 3; ++i) {
        dGt[m][i] = 0;
        for (int j = 0; j < 3; ++j)
          for (int k = 0; k < 3; ++k)
            dGt[m][i] += gi[j][k] * dGu[m][i][j][k] - 2 * Dup[m][j][k] * Gu[i][j][k];
      }
    }
    for (int k = 0; k < 3; ++k) {
      for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
          C[k][i][j] = Gu[k][i][j] - (k == i ? P[j] : 0) - (k == j ? P[i] : 0);
          for (int l = 0; l < 3; ++l) C[k][i][j] += g[i][j] * gi[k][l] * P[l];
        }
      }
    }
    for (int i = 0; i < 3; ++i) {
      Z[i] = 0, Zup[i] = (G[i] - Gt[i]) / 2;
      for (int j = 0; j < 3; ++j) Z[i] += g[i][j] * (G[j] - Gt[j]) / 2;
    }
  }

  void curvature() {
    Real nP[3][3];
    Real lap = 0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        nP[i][j] = (dP_[i][j] + dP_[j][i]) / 2;
        for (int k = 0; k < 3; ++k) nP[i][j] -= Gu[k][i][j] * P[k];
        lap += gi[i][j] * (nP[i][j] - P[i] * P[j]);
      }
    }
    scalar = laplacian = 0;
    Real DZ[3][3], R[3][3];
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        Real r = nP[i][j] + P[i] * P[j] + g[i][j] * lap, z = 0, h = (dA_[i][j] + dA_[j][i]) / 2 + A[i] * A[j];
        for (int m = 0; m < 3; ++m) {
          r += dGu[m][m][i][j] - dGu[j][m][i][m];
          z += D[i][j][m] * (G[m] - Gt[m]) + g[j][m] * (dG_[i][m] - dGt[i][m]) / 2 - C[m][i][j] * Z[m];
          h -= C[m][i][j] * A[m];
          for (int l = 0; l < 3; ++l) r += Gu[l][i][j] * Gu[m][l][m] - Gu[l][i][m] * Gu[m][l][j];
        }
        R[i][j] = r, DZ[i][j] = z, DDa[i][j] = a * h;
      }
    }
    trS = ricci_scalar = 0;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) {
        S[i][j] = phi * phi * (-DDa[i][j] + a * (R[i][j] + DZ[i][j] + DZ[j][i]));
        trS += gi[i][j] * S[i][j];
        scalar += phi * phi * gi[i][j] * (R[i][j] + 2 * DZ[i][j]);
        ricci_scalar += phi * phi * gi[i][j] * R[i][j];
        laplacian += phi * phi * gi[i][j] * DDa[i][j];
      }
    }
  }

  void traces() {
    trA = AA = divB = 0;
    for (int i = 0; i < 3; ++i) {
      divB += B[i][i];
      for (int j = 0; j < 3; ++j) {
        trA += gi[i][j] * At[i][j];
        Aup[i][j] = 0;
        for (int k = 0; k < 3; ++k)
          for (int l = 0; l < 3; ++l) Aup[i][j] += gi[i][k] * gi[j][l] * At[k][l];
        AA += Aup[i][j] * At[i][j];
      }
    }
    for (int k = 0; k < 3; ++k) {
      T[k] = 0;
      for (int n = 0; n < 3; ++n)
        for (int m = 0; m < 3; ++m) T[k] += gi[n][m] * dAt[k][n][m] - 2 * Dup[k][n][m] * At[n][m];
    }
  }

  Real At_advected(int i, int j) const {
    return beta[0] * dAt[0][i][j] + beta[1] * dAt[1][i][j] + beta[2] * dAt[2][i][j];
  }

  Parameters p;
  Real a, phi, K, K0, Theta, beta[3], b[3], G[3], A[3], P[3], g[3][3], At[3][3], B[3][3], D[3][3][3];
  Real dK_[3], dK0[3], dTheta_[3], dG_[3][3], db[3][3], dA_[3][3], dP_[3][3], dAt[3][3][3], dB_[3][3][3];
  Real dBs[3][3][3], dD[3][3][3][3], dDs[3][3][3][3];
  Real det, gi[3][3], Gl[3][3][3], Gu[3][3][3], Gt[3], Dup[3][3][3], dGu[3][3][3][3], dGt[3][3], C[3][3][3];
  Real Z[3], Zup[3], S[3][3], DDa[3][3], trS, scalar, ricci_scalar, laplacian, trA, AA, divB, Aup[3][3], T[3];
};

}  // namespace meander::ccz4::reference
