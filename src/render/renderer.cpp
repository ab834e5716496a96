#include "pliant/render/renderer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "pliant/core/error.hpp"
#include "pliant/render/color_bar.hpp"
#include "pliant/render/film.hpp"
#include "pliant/render/lettering.hpp"
#include "pliant/render/look.hpp"
#include "pliant/render/open_ground.hpp"
#include "pliant/render/sampler.hpp"
#include "pliant/render/scene.hpp"
#include "pliant/render/subject.hpp"
#include "pliant/render/tone.hpp"

namespace pliant {

namespace {

/// Everything a ray needs to know, in picture space.
struct View {
    const RayScene& scene;
    const Studio& studio;
    PixelRays rays;
    OpenGround open;
    int samples;  ///< for every pixel
    int more;     ///< for pixels in which an edge shows
    /// Two rays into the half-space for all samples of a packet that meet one surface: the filter spreads their noise.
    bool share_bounce;
    std::uint64_t seed;

    float from_subject(const Vec3f& p) const { return std::sqrt(p[0] * p[0] + p[2] * p[2]); }
    Vec3f albedo(const RayHit& hit) const {
        return hit.ground ? studio.ground_albedo(from_subject(hit.position)) : hit.color;
    }
    void start_pixel(PixelSampler& sampler, int x, int y) const {
        sampler.start_pixel(seed, std::uint64_t(y) * std::uint64_t(rays.width) + std::uint64_t(x));
    }
};

/// Light that reaches `hit` from the sun's disc, per unit albedo; 0 in shadow.
float sun_on(const View& view, const RayHit& hit, const std::pair<float, float>& u) {
    const Vec3f to_sun = view.studio.sun_direction(u.first, u.second);
    const float cosine = hit.normal.dot(to_sun);
    if (cosine <= 0 || view.scene.occluded(hit.lifted, to_sun)) return 0;
    return cosine;
}

/// Sunlight that comes out at `hit` after its way through the body, per unit albedo: it fades exponentially with the
/// way (Lambert's law) and leaves in all directions alike.
float sun_through(const View& view, const RayHit& hit, const Vec3f& to_sun) {
    const Vec3f inside = hit.position - 1e-4f * std::max(1.0f, hit.position.cwiseAbs().maxCoeff()) * hit.geometric;
    const float way = view.scene.way_out(inside, to_sun);
    return way < 12 * hit.depth ? 0.6f * std::exp(-way / hit.depth) : 0.0f;
}

struct Indirect {
    Vec3f light;
    float open;
};

/// How much of the sky a surface can be expected to see when something is so near above it.
float sky_share(const RayHit& other) { return other.distance / (other.distance + 0.45f); }

/// What a surface that a bounced ray met sends back of the sun and of its share of the sky.
Vec3f sent_back(const View& view, const RayHit& other, const PixelSampler& sampler, int sample) {
    const float sun = sun_on(view, other, sampler.get(PixelSampler::bounce_sun, sample));
    const Vec3f ambient = mix(view.studio.sky_low, view.studio.sky_high, 0.5f + 0.5f * other.normal[1]);
    return view.albedo(other).cwiseProduct(view.studio.sun * sun + ambient * sky_share(other));
}

/// One ray into the half-space above `hit`: the sky, or whatever hides it, lit by the sun and by the part of the sky
/// that it can be expected to see. The nearer the two surfaces, the less that is. What a level ground gets of the open
/// sky is known, so there only the difference that bodies make is sampled: where they make none there is no noise.
Indirect gather(const View& view, const RayHit& hit, const PixelSampler& sampler, int sample) {
    const auto [u, v] = sampler.get(PixelSampler::bounce, sample);
    Vec3f direction = cosine_direction(hit.normal, u, v);
    const float below = direction.dot(hit.geometric);
    if (below <= 0) direction = unit(direction + (1e-3f - 2.02f * below) * hit.geometric);
    RayHit other;
    if (!view.scene.intersect(hit.lifted, direction, other))
        return {hit.ground ? view.studio.open_sky_light : view.studio.sky(direction), 1};
    Vec3f light = sent_back(view, other, sampler, sample);
    if (hit.ground) light += view.studio.open_sky_light - view.studio.sky(direction);
    return {light, other.ground ? sky_share(other) : 0};
}

/// Light that a surface mirrors. In a clear coat that is the sky, as if nothing stood in the way; in metal, of which
/// nothing else is seen, also what stands there.
Vec3f mirrored(const View& view, const RayHit& hit, const Vec3f& normal, const Vec3f& to_eye, float roughness,
               const PixelSampler& sampler, int sample) {
    const Vec3f d = mirrored_direction(normal, to_eye, roughness);
    RayHit other;
    if (hit.metallic > 0 && d.dot(hit.geometric) > 0 && view.scene.intersect(hit.lifted, d, other))
        return sent_back(view, other, sampler, sample);
    // A large soft box overhead gives curved surfaces a shape to mirror.
    const float box = smoothstep(0.55f, 0.95f, d[1]);
    return view.studio.sky(d) + box * Vec3f::Constant(0.55f);
}

/// Of the clear coat, or of the material that was brought.
Mirroring mirroring(const RayHit& hit) {
    if (hit.roughness < 0 && hit.metallic == 0) return {};
    return {hit.color, hit.metallic, hit.roughness < 0 ? Mirroring().roughness : hit.roughness};
}

/// Most pixels of most pictures: all of it is backdrop, or ground in the full sun, and the same all over. What the
/// ground gets from around is found once for a block of pixels, `around`. False where something else may be seen.
bool trace_open_pixel(const View& view, int x, int y, PixelSampler& sampler, std::optional<Indirect>& around,
                      FilmPixel& pixel) {
    if (!view.open.free_of_bodies(x, y)) return false;
    const Vec3f direction = view.rays.direction(float(x) + 0.5f, float(y) + 0.5f);
    const float reach = 2 * view.rays.down.norm();
    if (view.scene.ground() && std::abs(direction[1]) < reach) return false;  // the horizon
    RayHit hit;
    if (!view.scene.intersect(view.rays.eye, direction, hit)) {
        pixel.own = view.studio.backdrop(direction);
        return true;
    }
    if (!view.open.sunny(hit.position)) return false;
    if (!around) {
        view.start_pixel(sampler, x, y);
        around = gather(view, hit, sampler, 0);
    }
    pixel.covered = 1;
    pixel.albedo = view.albedo(hit);
    pixel.light = view.studio.sun * std::max(0.0f, view.studio.to_sun[1]) + around->light;
    pixel.openness = around->open;
    // One sample tells no variance. Bodies hide the sky from few of them, or none, but then wholly: where none did by
    // chance it must still be expected, or the filter would leave those that did alone.
    const float sky = luminance(view.studio.open_sky_light), apart = luminance(around->light) - sky;
    pixel.variance = apart * apart + 0.25f * sky * sky;
    pixel.normal = hit.normal;
    pixel.position = hit.position;
    return true;
}

FilmPixel trace_pixel(const View& view, int x, int y, PixelSampler& sampler) {
    view.start_pixel(sampler, x, y);
    FilmPixel pixel;
    Vec3f reflected = Vec3f::Zero();
    float sum = 0, sum2 = 0, open = 0, unseen = 0;
    int hits = 0, samples = view.samples;
    bool edge = false;
    Vec3f first_normal = Vec3f::Zero();
    float first_gloss = 0;
    constexpr int packet = RayScene::packet;
    for (int begin = 0; begin < samples; begin += packet) {
        const int count = std::min(packet, samples - begin);
        Vec3f direction[packet], to_sun[packet], lifted[packet];
        for (int i = 0; i < count; ++i) {
            // Tent of radius 0.8 pixels around the pixel's centre.
            const auto [u, v] = sampler.get(PixelSampler::lens, begin + i);
            const auto tent = [](float t) { return t < 0.5f ? std::sqrt(2 * t) - 1 : 1 - std::sqrt(2 - 2 * t); };
            direction[i] = view.rays.direction(float(x) + 0.5f + 0.8f * tent(u), float(y) + 0.5f + 0.8f * tent(v));
        }
        RayHit hit[packet];
        const unsigned met = view.scene.intersect(view.rays.eye, direction, count, hit);
        unsigned facing_sun = 0;
        // Open ground, which is most of a picture: the sun's whole disc is seen, and need not be sampled.
        bool open_ground = met == (1u << count) - 1;
        for (int i = 0; i < count; ++i) open_ground &= hit[i].ground;
        for (int i = 0; i < count && open_ground; ++i) open_ground = view.open.sunny(hit[i].position);
        for (int i = 0; i < count; ++i) {
            if ((met >> i & 1u) == 0) continue;
            if (open_ground) {
                to_sun[i] = view.studio.to_sun;
                continue;
            }
            const auto [u, v] = sampler.get(PixelSampler::sun, begin + i);
            to_sun[i] = view.studio.sun_direction(u, v);
            lifted[i] = hit[i].lifted;
            if (hit[i].normal.dot(to_sun[i]) > 0) facing_sun |= 1u << i;
        }
        const unsigned lit = open_ground ? (view.studio.to_sun[1] > 0 ? met : 0u)
                                         : facing_sun & ~view.scene.occluded(lifted, to_sun, facing_sun);
        bool shared = view.share_bounce;
        for (int i = 1; i < count && shared; ++i)
            shared = met == (1u << count) - 1 && hit[i].ground == hit[0].ground && hit[i].gloss == hit[0].gloss &&
                     hit[0].normal.dot(hit[i].normal) > 0.97f;
        Indirect indirect[2]{};
        if (shared && met != 0) {
            for (int i = 0; i < 2; ++i) indirect[i] = gather(view, hit[i * (count - 1)], sampler, begin + i);
            // Of the mean of two, (a − b)²/4; where the four count as samples of their own they seem to have a third of
            // it.
            const float apart = luminance(indirect[0].light) - luminance(indirect[1].light);
            unseen += apart * apart * (open_ground ? 0.25f : 1.0f / 6);
        }
        // Open ground looks the same all over a pixel: one of the packet stands for all.
        const int every = open_ground && shared ? count : 1;
        for (int i = 0; i < count; i += every) {
            if ((met >> i & 1u) == 0) {
                pixel.own += view.studio.backdrop(direction[i]);
                continue;
            }
            const RayHit& h = hit[i];
            const Vec3f albedo = view.albedo(h);
            const float sun = (lit >> i & 1u) != 0 ? h.normal.dot(to_sun[i]) : 0.0f;
            if (!shared) indirect[i & 1] = gather(view, h, sampler, begin + i);
            const Indirect& around = indirect[i & 1];
            Vec3f light = view.studio.sun * sun +
                          (every > 1 ? Vec3f(0.5f * (indirect[0].light + indirect[1].light)) : around.light);
            if (h.depth > 0) light += view.studio.sun * sun_through(view, h, to_sun[i]);
            Vec3f body = albedo;  // what is left of it below the surface that mirrors
            if (const float share = h.gloss + h.metallic * (1 - h.gloss); share > 0) {
                const Vec3f to_eye = -direction[i];
                Vec3f n = h.normal;
                const float facing = n.dot(to_eye);
                if (facing < 0.02f) n = unit(n + (0.02f - facing) * to_eye);
                const Mirroring surface = mirroring(h);
                const Vec3f f = share * surface.reflectance(n.dot(to_eye));
                body = (1 - h.metallic) * albedo.cwiseProduct(Vec3f::Ones() - f);
                // The coat mirrors a sky that is nearly even: there its roughness makes no difference.
                const float spread = h.roughness < 0 && h.metallic == 0 ? 0 : surface.roughness;
                // Above metal it was seen what hides the sky; above a coat that is expected.
                (h.metallic > 0 ? pixel.own : pixel.coat) +=
                    f.cwiseProduct(mirrored(view, h, n, to_eye, spread, sampler, begin + i));
                if (sun > 0)
                    pixel.own +=
                        share * highlight(surface, n, to_eye, view.studio.to_sun).cwiseProduct(view.studio.sun);
            }
            if (hits == 0) first_normal = h.normal, first_gloss = h.gloss;
            hits += every;
            const float weight = float(every);
            edge |= h.gloss != first_gloss || first_normal.dot(h.normal) < 0.85f;
            pixel.albedo += weight * body;
            reflected += weight * body.cwiseProduct(light);
            pixel.normal += weight * h.normal;
            pixel.position += weight * h.position;
            open += weight * (every > 1 ? 0.5f * (indirect[0].open + indirect[1].open) : around.open);
            const float l = luminance(light);
            sum += weight * l, sum2 += weight * l * l;
        }
        // An edge in the pixel: it is looked at more closely, once.
        if (begin + count == view.samples && (edge || (hits > 0 && hits < view.samples))) {
            samples += view.more;
            sampler.go_on();
        }
    }
    const float n = float(samples);
    pixel.covered = float(hits) / n;
    if (hits > 0) {
        const float m = float(hits);
        // Dividing the albedo out and multiplying it back leaves colours exact and lets the filter see light alone.
        for (int k = 0; k < 3; ++k) pixel.light[k] = pixel.albedo[k] > 0 ? reflected[k] / pixel.albedo[k] : 0.0f;
        pixel.openness = open / m;
        pixel.variance = std::max(0.0f, sum2 / m - (sum / m) * (sum / m)) / std::max(1.0f, m - 1) + unseen;
        pixel.normal.stableNormalize();
        pixel.position /= m;
    }
    pixel.own /= n, pixel.albedo /= n, pixel.coat /= n;
    return pixel;
}

/// In tiles, and in blocks of 2 × 2 pixels within them.
void trace(const View& view, Film& film, Threads& threads) {
    constexpr int tile = 16, block = 2;
    const int width = film.width, height = film.height;
    const int across = (width + tile - 1) / tile, down = (height + tile - 1) / tile;
    parallel_for(threads, std::size_t(across) * down, 1, [&](std::size_t begin, std::size_t end) {
        PixelSampler sampler(view.samples, view.more);
        const auto trace_block = [&](int x0, int y0) {
            std::optional<Indirect> around;
            for (int y = y0; y < std::min(y0 + block, height); ++y)
                for (int x = x0; x < std::min(x0 + block, width); ++x) {
                    FilmPixel& pixel = film.pixels[std::size_t(y) * width + x];
                    if (!view.share_bounce || !trace_open_pixel(view, x, y, sampler, around, pixel))
                        pixel = trace_pixel(view, x, y, sampler);
                }
        };
        for (std::size_t t = begin; t < end; ++t) {
            const int x0 = int(t % across) * tile, y0 = int(t / across) * tile;
            for (int y = y0; y < std::min(y0 + tile, height); y += block)
                for (int x = x0; x < std::min(x0 + tile, width); x += block) trace_block(x, y);
        }
    });
}

/// Bytes of sRGB by linear light: 4096 even steps, and beside them the value at which the byte goes up within a step.
class ByteTable {
public:
    ByteTable() {
        for (int i = 0; i <= steps; ++i) byte_[std::size_t(i)] = to_byte(srgb_from_linear(float(i) / steps));
        for (int b = 0; b < 256; ++b) from_[std::size_t(b)] = linear_from_srgb((float(b) - 0.5f) / 255);
    }
    std::uint8_t operator()(float c) const {
        c = std::clamp(c, 0.0f, 1.0f);
        std::uint8_t b = byte_[std::size_t(c * steps)];
        while (b < 255 && c >= from_[std::size_t(b) + 1]) ++b;
        return b;
    }

private:
    static constexpr int steps = 4096;
    std::array<std::uint8_t, steps + 1> byte_;
    std::array<float, 256> from_;
};

Image develop(const Film& film, double exposure, Threads& threads) {
    Image image(film.width, film.height);
    const float gain = float(std::exp2(exposure));
    static const ByteTable bytes;
    parallel_for(threads, std::size_t(film.height), 16, [&](std::size_t begin, std::size_t end) {
        for (int y = int(begin); y < int(end); ++y)
            for (int x = 0; x < film.width; ++x) {
                Vec3f c = film.pixels[std::size_t(y) * film.width + x].color() * gain;
                if (!c.allFinite()) c = Vec3f::Zero();
                c = tone_map(c);
                for (int k = 0; k < 3; ++k) image.at(x, y)[k] = bytes(c[k]);
            }
    });
    return image;
}

/// Over the camera's left shoulder, high enough that shadows stay near their bodies.
Vec3 shoulder_sun(const CameraFrame& axes, const Vec3& up) {
    const Vec3 level = (axes.forward - axes.forward.dot(up) * up).stableNormalized();
    return (-0.55 * level - 0.72 * axes.right + 1.15 * up).stableNormalized();
}

}  // namespace

Framing framing(const RenderOptions& options) {
    Framing result = options.view;
    if (!options.field.empty()) result.right = std::max(result.right, color_bar_share(options.width, options.height));
    return result;
}

Image render(const Frame& frame, const RenderOptions& options, Threads& threads) {
    if (options.width < 16 || options.height < 16 || options.width > 8192 || options.height > 8192)
        throw UserError("a picture of " + std::to_string(options.width) + " × " + std::to_string(options.height) +
                            " pixels cannot be rendered",
                        {}, "Give both sides between 16 and 8192 pixels");
    const double aspect = double(options.width) / options.height;
    const std::vector<Box> boxes = subject_boxes(frame);
    Box box;
    for (const Box& b : boxes) box.add(b);
    if (options.subject) box = *options.subject;
    const std::optional<Floor> floor = floor_of(frame);
    const std::optional<double> ground =
        !options.ground ? std::nullopt
                        : (options.ground_height ? options.ground_height
                                                 : (floor ? std::optional(floor->height) : std::optional(0.0)));
    const Camera camera = options.camera ? *options.camera : frame_camera(boxes, aspect, framing(options));
    const CameraFrame axes(camera, aspect);

    UnitSize size;
    if (!box.empty()) {
        size.center = box.center();
        if (box.diagonal() > 0) size.radius = 0.5 * box.diagonal();
    }
    const bool preview = options.quality == Quality::preview;
    const int samples = std::clamp(options.samples.value_or(preview ? 4 : 32), 1, 65536);
    const int passes = std::clamp(options.smoothing.value_or(preview ? 5 : 4), 0, 7);

    const Coloring coloring = color_bodies(frame, {options.field, options.range, options.color_pieces,
                                                   &options.appearance, size.radius, options.pictures.get()});
    const RayScene scene(frame, coloring.looks, size, ground, options.crease, threads);
    const Studio studio(options.backdrop, options.to_sun ? *options.to_sun : shoulder_sun(axes, Vec3::UnitY()),
                        options.softness);
    const Vec3f across = (axes.tan_x * axes.right).cast<float>(), up = (axes.tan_y * axes.up).cast<float>();
    const PixelRays rays{size.point(camera.eye),
                         axes.forward.cast<float>() + float(axes.shift - 1) * across + up,
                         2 / float(options.width) * across,
                         -2 / float(options.height) * up,
                         options.width,
                         options.height};
    const View view{scene,        studio,
                    rays,         OpenGround(scene, rays, studio.to_sun, studio.sun_radius),
                    samples,      samples < 16 ? 2 * samples : 0,
                    samples < 16, options.seed};
    Film film(options.width, options.height);
    trace(view, film, threads);
    smooth(film, passes, float(2 * axes.tan_y / options.height), rays.eye, threads);
    Image image = develop(film, options.exposure, threads);
    if (!options.field.empty()) draw_color_bar(image, options.field, coloring.unit, coloring.range);
    if (!options.caption.empty()) {
        const float scale = float(std::max(0.66, std::min(options.height / 720.0, options.width / 900.0)));
        const TextStyle style{11.5f * scale, 0.115f, Vec3f(0.30f, 0.33f, 0.37f)};
        draw_text(image, 26 * scale, float(options.height) - 26 * scale, options.caption, style);
    }
    return image;
}

}  // namespace pliant
