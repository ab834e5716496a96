#pragma once
// The table `state` of a scene, to bytes and back, so that callbacks go on after a resume.

#include "pliant/core/bytes.hpp"
#include "pliant/script/sandbox.hpp"

namespace pliant::script {

/// Numbers, texts, booleans and tables of them, in the order of the keys. Throws UserError, with the path of the
/// entry, for anything else and for a table that occurs twice.
void save_table(Sandbox& sandbox, const std::string& name, ByteWriter& out);

/// Fills the table as it was. Tables inside it that exist already are kept and refilled, so that names that refer to
/// them go on doing so.
void restore_table(Sandbox& sandbox, const std::string& name, ByteReader& in);

}  // namespace pliant::script
