#pragma once
// The makers that register.cpp lists; nobody else needs them.

#include <memory>

#include "pliant/material/material.hpp"

namespace pliant {

std::unique_ptr<Material> make_linear(const Lame& lame);
std::unique_ptr<Material> make_corotational(const Lame& lame);

}  // namespace pliant
