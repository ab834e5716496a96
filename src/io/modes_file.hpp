#pragma once
// Modes on disk: a .modes file holds a ModalBasis whole, shapes in single precision (the mesh, masses and eigenvalues
// in double), with a checksum over everything.

#include <string>

#include "pliant/modal/modal_basis.hpp"

namespace pliant {

/// Written whole or not at all. UserError when it cannot be.
void write_modes(const std::string& path, const ModalBasis& basis);
/// UserError for a file that is missing, truncated, damaged or of another kind.
ModalBasis read_modes(const std::string& path);

/// The same in memory.
std::string modes_bytes(const ModalBasis& basis);
ModalBasis parse_modes(std::string_view bytes, const std::string& name);

}  // namespace pliant
