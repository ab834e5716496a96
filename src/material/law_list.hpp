#pragma once
// Every elastic law there is: a header each, and a line in the list. See law.hpp for what a law is made of.

#include "pliant/material/anisotropic.hpp"
#include "pliant/material/corotational.hpp"
#include "pliant/material/green.hpp"
#include "pliant/material/invertible.hpp"
#include "pliant/material/linear.hpp"
#include "pliant/material/neo_hookean.hpp"

namespace pliant {
namespace {

template <class... Laws>
struct LawList {};

using AllLaws = LawList<Corotational,  //
                        Linear,        //
                        NeoHookean,    //
                        Invertible,    //
                        Green,         //
                        Anisotropic>;

}  // namespace
}  // namespace pliant
