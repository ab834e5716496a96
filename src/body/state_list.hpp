#pragma once
// One list of what a body's state consists of serves saving, loading, hashing and following an edit of its mesh, so
// that none of them can forget an array. A kind of body has a function
//
//     for_each_array(body, f)     calls f(role, array) for every part of the state, always in the same order
//
// where the array is a std::vector, a std::span of fixed length, or a single value.

#include <algorithm>
#include <concepts>
#include <span>
#include <string>
#include <vector>

#include "pliant/core/bytes.hpp"
#include "pliant/core/hash.hpp"

namespace pliant {

/// What the values of an array belong to: with nodes or tets it follows edits of the mesh.
enum class Per { node, tet, body };

struct ArrayRole {
    const char* name;
    Per per = Per::body;
    /// The scene gives it and steps leave it alone. It is saved once the mesh is no longer the scene's own.
    bool from_scene = false;
};

/// What to say when a saved state does not fit.
inline UserError another_mesh(const std::string& body) {
    return UserError("the checkpoint holds another mesh for body '" + body + "'", {},
                     "Run the scene anew without --resume.");
}

/// Types with gaps between their members name themselves without: what the gaps hold is chance, and no part of a state.
template <class T>
struct SavedForm {
    using type = T;
};
template <class T>
concept HasGaps = !std::same_as<typename SavedForm<T>::type, T>;

/// Saves what for_each_array() lists; without what the scene gives where `with_scene` is false.
struct ArrayWriter {
    ByteWriter& out;
    bool with_scene = false;

    template <class T>
    void operator()(const ArrayRole& role, const std::vector<T>& array) const {
        if (role.from_scene && !with_scene) return;
        if constexpr (HasGaps<T>)
            out.vector(std::vector<typename SavedForm<T>::type>(array.begin(), array.end()));
        else
            out.vector(array);
    }
    template <class T>
    void operator()(const ArrayRole& role, std::span<T> array) const {
        if (role.from_scene && !with_scene) return;
        out.value(static_cast<std::uint64_t>(array.size()));
        out.raw(array.data(), array.size_bytes());
    }
    template <PlainBytes T>
    void operator()(const ArrayRole& role, const T& value) const {
        if (with_scene || !role.from_scene) out.value(value);
    }
};

/// Loads what an ArrayWriter wrote. Lengths of vectors are for the caller to check.
struct ArrayReader {
    ByteReader& in;
    const std::string& body;  ///< its name, for messages
    bool with_scene = false;

    template <class T>
    void operator()(const ArrayRole& role, std::vector<T>& array) const {
        if (role.from_scene && !with_scene) return;
        const auto values = in.vector<typename SavedForm<T>::type>();
        array.assign(values.begin(), values.end());
    }
    template <class T>
    void operator()(const ArrayRole& role, std::span<T> array) const {
        if (role.from_scene && !with_scene) return;
        const auto values = in.vector<T>();
        if (values.size() != array.size()) throw another_mesh(body);
        std::copy(values.begin(), values.end(), array.begin());
    }
    template <PlainBytes T>
    void operator()(const ArrayRole& role, T& value) const {
        if (with_scene || !role.from_scene) in.value(value);
    }
};

/// Hashes the same things.
struct ArrayHash {
    Hash& hash;
    bool with_scene = false;

    template <class T>
    void operator()(const ArrayRole& role, const std::vector<T>& array) const {
        if (role.from_scene && !with_scene) return;
        if constexpr (HasGaps<T>) {
            for (const T& item : array) {
                const typename SavedForm<T>::type saved(item);
                hash.bytes(&saved, sizeof saved);
            }
        } else {
            hash.bytes(array.data(), array.size() * sizeof(T));
        }
    }
    template <class T>
    void operator()(const ArrayRole& role, std::span<T> array) const {
        if (with_scene || !role.from_scene) hash.bytes(array.data(), array.size_bytes());
    }
    template <PlainBytes T>
    void operator()(const ArrayRole& role, const T& value) const {
        if (with_scene || !role.from_scene) hash.bytes(&value, sizeof value);
    }
};

}  // namespace pliant
