// A soft cube falls on the ground: the whole of a program that uses Pliant as a library.
#include <cstdio>
#include <pliant/mesh/bar_mesh.hpp>
#include <pliant/world/world.hpp>

int main() {
    using namespace pliant;
    World world(/*threads=*/0);  // one per core
    FemBodyDesc cube;
    cube.name = "cube";
    cube.mesh = bar_mesh(6, 6, 6, Vec3(-0.2, 0.5, -0.2), Vec3(0.2, 0.9, 0.2));
    cube.material = {{.young = 5e4, .poisson = 0.4, .density = 1000}};
    world.fem.push_back(make_fem_body(std::move(cube)));
    world.props.push_back({.name = "ground", .obstacle = {.shape = ground_obstacle(0), .friction = 0.5}});

    for (int i = 0; i < 200; ++i) step(world);
    std::printf("t = %.2f s: the cube's centre is at y = %.3f m\n", world.time, center_of_mass(world.fem[0]).y());
    return bounds(world.fem[0]).min.y() > -0.01 ? 0 : 1;
}
