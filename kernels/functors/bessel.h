// Bessel functions of orders 0 and 1. Near 0 they are power series or fits in x^2, from 8 on fits
// in 1 / x of what varies slowly: the factor beside e^x / sqrt(x), or those beside the sine and the
// cosine of an angle (Abramowitz and Stegun, "Handbook of Mathematical Functions", 9.2, 9.7). In
// double, also of floats.
#pragma once

#include "kernels/functors/effort.h"
#include "kernels/functors/sine.h"

namespace garboard::functors {

/// Where the fits in 1 / x begin.
inline constexpr double bessel_far = 8.0;

/// e^-x sqrt(x) I(x) of x >= 8.
GARBOARD_HD double bessel_i0_factor(double x) {
  return polynomial(
      16.0 / x - 1.0, 0.4021765094450081, 0.0033605519836678865, 0.00013621607439233397,
      1.1143033788352455e-05, 1.4838475432345007e-06, 2.9735993830791437e-07, 8.87226944343699e-08,
      3.9324708328742363e-08, 2.1542697342456025e-08, 7.56377201554603e-09, -6.709029656225636e-09,
      -1.3453822931523271e-08, -5.573331421610015e-09, 7.697662019062485e-09, 7.923178069797902e-09,
      -3.8209951230899494e-09, -6.938996277209841e-09, 1.983359036878625e-09,
      4.9905012775902616e-09, -1.0267340552488205e-09, -2.871865993820944e-09,
      4.3888610449918974e-10, 1.2061857017231682e-09, -1.2429481430536785e-10,
      -3.210161204221364e-10, 1.664547360287268e-11, 4.005227764863174e-11);
}
GARBOARD_HD double bessel_i1_factor(double x) {
  return polynomial(
      16.0 / x - 1.0, 0.38939845902587233, -0.00974957719323576, -0.00021923576383430914,
      -1.503854719814553e-05, -1.8349101091858603e-06, -3.4838565069237384e-07,
      -1.0001340021780371e-07, -4.312811174972107e-08, -2.3368016560658254e-08,
      -8.436290430234562e-09, 6.694265612407783e-09, 1.4076395500755014e-08, 6.149852311576883e-09,
      -7.778592763970399e-09, -8.40110217973835e-09, 3.7219797447255005e-09, 7.268242563538988e-09,
      -1.8736450470066084e-09, -5.202221760182418e-09, 9.56852362490519e-10, 2.98873503775703e-09,
      -4.086984233473248e-10, -1.254797249197394e-09, 1.1618136302871427e-10, 3.339867355635036e-10,
      -1.5626599071977812e-11, -4.168108978338507e-11);
}

/// 1 / (k! (k + order)!).
GARBOARD_HD constexpr double bessel_i_term(int k, int order) {
  double product = 1;
  for (int i = 2; i <= k; ++i) product *= i;
  for (int i = 2; i <= k + order; ++i) product *= i;
  return 1 / product;
}
/// I0(x) and 2 I1(x) / x of t = x^2 / 4 <= 16: sums of t^k / (k! (k + order)!), from k on.
template <int order, int k = 0>
GARBOARD_HD double bessel_i_series(double t) {
  constexpr double term = bessel_i_term(k, order);
  if constexpr (k == 26)
    return term;
  else
    return term + t * bessel_i_series<order, k + 1>(t);
}

/// Within 2 ULP; so is every function of this file whose sign does not change.
GARBOARD_HD double bessel_i0(double x) {
  const double size = abs(x), far = size < bessel_far ? bessel_far : size;
  const double near = bessel_i_series<0>(0.25 * size * size);
  const double within = far > 720.0 ? 720.0 : far;
  const double beyond = exp_of_sum(within, 0.0, bessel_i0_factor(far) / sqrt(within));
  return size < bessel_far ? near : size != size ? size : beyond;
}
/// e^-|x| I0(x).
GARBOARD_HD double bessel_i0e(double x) {
  const double size = abs(x), far = size < bessel_far ? bessel_far : size;
  const double near = exp(-size) * bessel_i_series<0>(0.25 * size * size);
  return size < bessel_far ? near : size != size ? size : bessel_i0_factor(far) / sqrt(far);
}
GARBOARD_HD double bessel_i1(double x) {
  const double size = abs(x), far = size < bessel_far ? bessel_far : size;
  const double near = 0.5 * size * bessel_i_series<1>(0.25 * size * size);
  const double within = far > 720.0 ? 720.0 : far;
  const double beyond = exp_of_sum(within, 0.0, bessel_i1_factor(far) / sqrt(within));
  return copy_sign(size < bessel_far ? near : size != size ? size : beyond, x);
}
/// e^-|x| I1(x).
GARBOARD_HD double bessel_i1e(double x) {
  const double size = abs(x), far = size < bessel_far ? bessel_far : size;
  const double near = exp(-size) * 0.5 * size * bessel_i_series<1>(0.25 * size * size);
  const double beyond = bessel_i1_factor(far) / sqrt(far);
  return copy_sign(size < bessel_far ? near : size != size ? size : beyond, x);
}

/// J0 and J1(x) / x of u = x^2 / 32 - 1 for |x| <= 8, and what is left there of Y0 and Y1(x) / x
/// without their logarithm and pole.
GARBOARD_HD double bessel_j0_near(double u) {
  return polynomial(u, 0.04582966485981377, 0.9303012472958572, -0.6484692830871837,
                    -0.8080888076696872, 1.0383794611437211, -0.5074680458471, 0.14598884856759264,
                    -0.028472718610882047, 0.004058078989140991, -0.0004435459224311503,
                    3.8473197855944365e-05, -2.717749223632098e-06, 1.5956109104549218e-07,
                    -7.91532308295207e-09, 3.3634475788173604e-10, -1.243301171273326e-11,
                    4.0037632815796753e-13);
}
GARBOARD_HD double bessel_j1_near(double u) {
  return polynomial(u, -0.05814382795599107, 0.08105866038589796, 0.15151665143806634,
                    -0.2595948652859303, 0.15858376432721938, -0.05474581821284722,
                    0.012456814392255438, -0.0020290394945705996, 0.0002494945813909099,
                    -2.404574865968694e-05, 1.8684525371950874e-06, -1.196708186787801e-07,
                    6.4312687983276065e-09, -2.943013798001659e-10, 1.1610590175819576e-11,
                    -4.0045728425886457e-13, 1.2095547964761484e-14);
}
GARBOARD_HD double bessel_y0_near(double u) {
  return polynomial(u, -0.382250654459425, -0.8284358903604587, 1.6470964788745466,
                    0.14412632369302442, -1.0775477338215995, 0.6721770783431723,
                    -0.21895747096171628, 0.0463670476813471, -0.00702574105727097,
                    0.0008061586060550644, -7.279541882454115e-05, 5.321318633735116e-06,
                    -3.2185078445935923e-07, 1.6391065268260488e-08, -7.13046146536789e-10,
                    2.681822137847736e-11, -8.840112096073101e-13, 2.558039436392922e-14);
}
GARBOARD_HD double bessel_y1_near(double u) {
  return polynomial(u, 0.07075985882118005, -0.24337743079193114, 0.023367571720993584,
                    0.23507209206669755, -0.19639839859930425, 0.07854786922242532,
                    -0.019628756833099423, 0.0034224907399188495, -0.00044381734351149876,
                    4.467433012646365e-05, -3.600999874357815e-06, 2.3804930420514178e-07,
                    -1.3153322551127247e-08, 6.169688029066965e-10, -2.4887509903377128e-11,
                    8.760001143977853e-13, -2.695138958384033e-14);
}

/// sqrt(2 / (pi x)) (p cos(x - shift) - q / x sin(x - shift)) of x >= 8: J with a shift of pi / 4,
/// for order 1 of 3 pi / 4, and Y where that is pi / 2 more. `turns` counts quarters of pi.
GARBOARD_HD double bessel_wave(double x, double p, double q, int turns) {
  const bool is_easy = x <= sine_limit<double>;
  const double inside = is_easy ? x : 0.0;
  const double sine = is_easy ? sin_of_quarters(inside, 0) : sin(x);
  const double cosine = is_easy ? sin_of_quarters(inside, 1) : cos(x);
  // cos and sin of x - pi / 4, times sqrt(2); those of 3 pi / 4 and 5 pi / 4 follow by quarters.
  const double a = cosine + sine, b = sine - cosine;
  const double cos_shifted = turns == 1 ? a : turns == 3 ? b : -a;
  const double sin_shifted = turns == 1 ? b : turns == 3 ? -a : -b;
  return (p * cos_shifted - q / x * sin_shifted) / sqrt(3.14159265358979323846 * x);
}
GARBOARD_HD double bessel_far0(double x, int turns) {
  const double z = bessel_far / x, u = 2.0 * z * z - 1.0;
  const double p =
      polynomial(u, 0.9994572757882519, -0.0005363673192130047, 6.137416080109497e-06,
                 -2.0527448156307146e-07, 1.280376144080092e-08, -1.2121182069774233e-09,
                 1.5500565496632596e-10, -2.4882702786880542e-11, 4.786995821368028e-12,
                 -1.0636861151667625e-12, 2.4531772967345006e-13, -6.416781008015415e-14,
                 3.339452259070809e-14, -1.180002783020184e-14);
  const double q = polynomial(
      u, -0.12444091103610815, 0.0005466519279475109, -1.1817110661171062e-05, 5.68497188761875e-07,
      -4.534972900180117e-08, 5.146225268539058e-09, -7.576280245550776e-10, 1.36265138876175e-10,
      -2.8726953457199988e-11, 6.878054876576861e-12, -1.8315236532076327e-12,
      5.570266801419967e-13, -1.8114989811223087e-13, 3.750385225206321e-14, -9.94348527082079e-15,
      1.7159223662634758e-14, -7.657652788302387e-15);
  return bessel_wave(x, p, q, turns);
}
GARBOARD_HD double bessel_far1(double x, int turns) {
  const double z = bessel_far / x, u = 2.0 * z * z - 1.0;
  const double p =
      polynomial(u, 1.0009070262780821, 0.0008988049416705579, -7.9596946984383e-06,
                 2.4536766222672443e-07, -1.4708512991275258e-08, 1.3603058049468316e-09,
                 -1.713107485294131e-10, 2.720406848040165e-11, -5.191158004646548e-12,
                 1.1462229852806783e-12, -2.6335760672461096e-13, 6.864486664846182e-14,
                 -3.5455617466606254e-14, 1.2489929194563941e-14);
  const double q = polynomial(u, 0.3742149922195918, -0.0007697167057643541, 1.4569614809851411e-05,
                              -6.63356856721788e-07, 5.136105997071193e-08, -5.720884228409981e-09,
                              8.316077350038262e-10, -1.4819760550541304e-10, 3.100364837230575e-11,
                              -7.387575652695623e-12, 2.002728774766585e-12, -5.930663429711533e-13,
                              1.3996264453471973e-13, -3.9930634717453954e-14,
                              4.275621822194818e-14, -1.804307200062192e-14);
  return bessel_wave(x, p, q, turns);
}

/// J0, within 4 ULP of 1; so are J1, Y0 and Y1 of the larger of them and 1. Y is NaN below 0.
GARBOARD_HD double bessel_j0(double x) {
  const double size = abs(x), far = size < bessel_far ? bessel_far : size;
  const double near = bessel_j0_near(size * size * 0.03125 - 1.0);
  const double beyond = far == infinity<double> ? 0.0 : bessel_far0(far, 1);
  return size < bessel_far ? near : size != size ? size : beyond;
}
GARBOARD_HD double bessel_j1(double x) {
  const double size = abs(x), far = size < bessel_far ? bessel_far : size;
  const double near = size * bessel_j1_near(size * size * 0.03125 - 1.0);
  const double beyond = far == infinity<double> ? 0.0 : bessel_far1(far, 3);
  const double whole = size < bessel_far ? near : size != size ? size : beyond;
  return x < 0 ? -whole : whole;
}
inline constexpr double two_by_pi = 0.63661977236758134308;
GARBOARD_HD double bessel_y0(double x) {
  const double far = x < bessel_far ? bessel_far : x;
  const double near =
      bessel_y0_near(x * x * 0.03125 - 1.0) + two_by_pi * log(x) * bessel_j0(x < far ? x : 0.0);
  const double beyond = far == infinity<double> ? 0.0 : bessel_far0(far, 3);
  const double right = x < bessel_far ? near : x != x ? x : beyond;
  const double whole = x == 0 ? -infinity<double> : right;
  return x < 0 ? not_a_number<double> : whole;
}
GARBOARD_HD double bessel_y1(double x) {
  const double far = x < bessel_far ? bessel_far : x;
  const double near = x * bessel_y1_near(x * x * 0.03125 - 1.0) +
                      two_by_pi * (log(x) * bessel_j1(x < far ? x : 0.0) - 1.0 / x);
  const double beyond = far == infinity<double> ? 0.0 : bessel_far1(far, 5);
  const double right = x < bessel_far ? near : x != x ? x : beyond;
  const double whole = x == 0 ? -infinity<double> : right;
  return x < 0 ? not_a_number<double> : whole;
}

struct BesselI0 {
  static constexpr Effort effort = Effort::many;
  template <Real T>
  GARBOARD_HD T operator()(T x) const {
    return static_cast<T>(bessel_i0(static_cast<double>(x)));
  }
};
struct BesselI0e {
  static constexpr Effort effort = Effort::many;
  template <Real T>
  GARBOARD_HD T operator()(T x) const {
    return static_cast<T>(bessel_i0e(static_cast<double>(x)));
  }
};
struct BesselI1 {
  static constexpr Effort effort = Effort::many;
  template <Real T>
  GARBOARD_HD T operator()(T x) const {
    return static_cast<T>(bessel_i1(static_cast<double>(x)));
  }
};
struct BesselI1e {
  static constexpr Effort effort = Effort::many;
  template <Real T>
  GARBOARD_HD T operator()(T x) const {
    return static_cast<T>(bessel_i1e(static_cast<double>(x)));
  }
};
struct BesselJ0 {
  static constexpr Effort effort = Effort::many;
  template <Real T>
  GARBOARD_HD T operator()(T x) const {
    return static_cast<T>(bessel_j0(static_cast<double>(x)));
  }
};
struct BesselJ1 {
  static constexpr Effort effort = Effort::many;
  template <Real T>
  GARBOARD_HD T operator()(T x) const {
    return static_cast<T>(bessel_j1(static_cast<double>(x)));
  }
};
struct BesselY0 {
  static constexpr Effort effort = Effort::many;
  template <Real T>
  GARBOARD_HD T operator()(T x) const {
    return static_cast<T>(bessel_y0(static_cast<double>(x)));
  }
};
struct BesselY1 {
  static constexpr Effort effort = Effort::many;
  template <Real T>
  GARBOARD_HD T operator()(T x) const {
    return static_cast<T>(bessel_y1(static_cast<double>(x)));
  }
};

}  // namespace garboard::functors
