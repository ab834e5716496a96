#pragma once
// The plastic flows that register.cpp lists; nobody else needs them.

#include "pliant/material/plasticity.hpp"

namespace pliant {

double creep_share(double rate, double dt);
double creep_step_share(double rate, double dt);
void creep(const PlasticNumbers& numbers, const Strain6& total, double dt, Strain6& plastic);
void finite_creep(const PlasticNumbers& numbers, const Mat3& elastic, double dt, Mat3& plastic);
void stress_flow(const PlasticNumbers& numbers, const Mat3& elastic, const Mat3& stress, double dt, Mat3& plastic,
                 double& hardened);
void stress_flow_step(const PlasticNumbers& numbers, const Mat3& elastic, const Mat3& stress, double dt, Mat3& plastic,
                      double& hardened);
double tensor_norm(const Strain6& e);
void von_mises_flow(const PlasticNumbers& numbers, const Strain6& total, double dt, Strain6& plastic);
void finite_von_mises_flow(const PlasticNumbers& numbers, const Mat3& elastic, double dt, Mat3& plastic);
void creep_step(const PlasticNumbers& numbers, const Strain6& total, double dt, Strain6& plastic);

}  // namespace pliant
