#pragma once
// λ and μ of elements that are asked for one after the other: neighbours mostly have the same numbers.

#include "pliant/fem/solid.hpp"
#include "pliant/material/material.hpp"

namespace pliant {

class ElementLame {
public:
    const Lame& operator()(const ElementMaterial& here) {
        if (here.young != of_.young || here.poisson != of_.poisson) of_ = here, is_ = lame(of_.young, of_.poisson);
        return is_;
    }

private:
    ElementMaterial of_;
    Lame is_ = lame(of_.young, of_.poisson);
};

}  // namespace pliant
