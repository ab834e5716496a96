// A scene described in C++, built and run like one from a file, without Lua: two jelly balls fall to the ground, one of
// them dragged aside on the way.
#include <cstdio>
#include <pliant/scene/simulation.hpp>

int main() {
    using namespace pliant;
    SceneDesc scene;
    scene.file = "two balls";
    scene.world = {.dt = 0.01, .duration = 1.5, .fps = 20};

    BodyDesc ball;
    ball.name = "left";
    ball.surface.shape = sphere_shape(0.15);
    ball.volume.tets = 1000;
    ball.material.numbers = {.young = 4e4, .poisson = 0.4, .density = 1000};
    ball.pose.translation = {-0.2, 0.5, 0};
    scene.bodies.push_back(ball);
    ball.name = "right";
    ball.pose.translation = {0.2, 0.7, 0};
    scene.bodies.push_back(ball);

    scene.planes.push_back({.name = "ground"});
    DragDesc drag;
    drag.body = 1;
    drag.at = {0.2, 0.85, 0};
    drag.target = [](double t) { return Vec3(0.2 + 0.4 * t, 0.85, 0); };
    drag.till = 0.5;
    scene.drags.push_back(drag);

    Simulation simulation(std::move(scene), /*threads=*/0);  // one per core
    while (simulation.frame() < simulation.frames()) simulation.advance();
    for (int i = 0; i < 2; ++i) {
        const Vec3 at = simulation.query(i).center();
        std::printf("%s: %.3f %.3f %.3f m\n", simulation.desc().bodies[i].name.c_str(), at.x(), at.y(), at.z());
    }
    const double apart = (simulation.query(1).center() - simulation.query(0).center()).norm();
    return simulation.query(0).bounds().min.y() > -0.01 && apart > 0.25 ? 0 : 1;
}
