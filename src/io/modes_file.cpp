#include "pliant/io/modes_file.hpp"

#include <cmath>

#include "pliant/core/bytes.hpp"
#include "pliant/core/hash.hpp"
#include "pliant/io/file.hpp"

namespace pliant {

namespace {

constexpr std::string_view modes_magic = "PLIANT-MODES 1\n";

}  // namespace

std::string modes_bytes(const ModalBasis& b) {
    ByteWriter out;
    out.raw(modes_magic.data(), modes_magic.size());
    out.value(static_cast<std::uint64_t>(0));  // checksum, below
    out.vector(b.rest);
    out.vector(b.tets);
    out.vector(b.mass);
    out.vector(b.held);
    out.vector(b.lambda);
    out.value(static_cast<std::int32_t>(b.rigid));
    out.value(static_cast<std::int32_t>(b.parts));
    for (double v : {b.young, b.poisson, b.density, b.alpha, b.beta, b.residual}) out.value(v);
    out.value(static_cast<std::int32_t>(b.complete));
    char* shapes = out.grow(sizeof(float) * static_cast<std::size_t>(b.shape.size()));
    for (Eigen::Index i = 0; i < b.shape.size(); ++i) {
        const float v = static_cast<float>(b.shape.data()[i]);
        std::memcpy(shapes + sizeof(float) * i, &v, sizeof v);
    }
    std::string bytes = out.take();
    const std::size_t start = modes_magic.size() + sizeof(std::uint64_t);
    const std::uint64_t sum = hash_of(std::string_view(bytes).substr(start));
    std::memcpy(bytes.data() + modes_magic.size(), &sum, sizeof sum);
    return bytes;
}

ModalBasis parse_modes(std::string_view bytes, const std::string& name) {
    if (bytes.substr(0, modes_magic.size()) != modes_magic)
        throw UserError("this is no file of modes", {name}, "`pliant modes MESH -o FILE.modes` makes one.");
    const std::size_t start = modes_magic.size() + sizeof(std::uint64_t);
    std::uint64_t sum = 0;
    if (bytes.size() >= start) std::memcpy(&sum, bytes.data() + modes_magic.size(), sizeof sum);
    if (bytes.size() < start || hash_of(bytes.substr(start)) != sum)
        throw UserError("the file of modes is damaged: its checksum does not fit", {name},
                        "Get it again, or make it anew with `pliant modes`.");
    ByteReader in(bytes.substr(start), name);
    ModalBasis b;
    in.vector(b.rest);
    in.vector(b.tets);
    in.vector(b.mass);
    in.vector(b.held);
    in.vector(b.lambda);
    b.rigid = in.value<std::int32_t>();
    b.parts = in.value<std::int32_t>();
    for (double* v : {&b.young, &b.poisson, &b.density, &b.alpha, &b.beta, &b.residual}) in.value(*v);
    b.complete = in.value<std::int32_t>() != 0;
    const std::size_t nodes = b.rest.size();
    if (b.mass.size() != nodes || (!b.held.empty() && b.held.size() != nodes)) in.damaged("has arrays that do not fit");
    for (const Tet& t : b.tets)
        for (int i : t)
            if (i < 0 || static_cast<std::size_t>(i) >= nodes) in.damaged("names a node it does not have");
    const std::size_t entries = in.left() / sizeof(float);
    if (entries != 3 * nodes * b.lambda.size() || in.left() % sizeof(float) != 0)
        in.damaged("has shapes that do not fit");
    b.shape.resize(static_cast<Eigen::Index>(3 * nodes), static_cast<Eigen::Index>(b.lambda.size()));
    const std::string_view raw = in.raw(in.left());
    for (std::size_t i = 0; i < entries; ++i) {
        float v;
        std::memcpy(&v, raw.data() + sizeof(float) * i, sizeof v);
        b.shape.data()[i] = v;
    }
    return b;
}

void write_modes(const std::string& path, const ModalBasis& basis) { write_file_atomic(path, modes_bytes(basis)); }

ModalBasis read_modes(const std::string& path) { return parse_modes(read_file(path), path); }

}  // namespace pliant
