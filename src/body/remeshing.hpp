#pragma once
// Bodies that are remeshed: when a new lattice is due, and what goes over to it. The method is in remesh/.

#include "pliant/body/fem_body.hpp"
#include "pliant/remesh/remesh.hpp"

namespace pliant {

/// Throws UserError where a body cannot be remeshed.
void check_remesh(FemBodyDesc& desc);

/// Gives a new body its first lattice of the wanted cell. Its mass stays.
void begin_remeshing(FemBody& body, const RemeshOptions& options, Threads& threads);

/// Wojtan & Turk 2008, section 8: some element's condition number has grown beyond the limit since the last remesh, or
/// it is flat or inverted.
/// Or half a cell has come out of its inlet.
bool needs_remesh(const FemBody& body, Threads& threads);

/// The lattice for the body as it is now; its surface hangs on it already, and waits for the edit.
Remeshed propose_remesh(FemBody& body, Threads& threads);

/// After the edit: what came through the inlet adds its momentum to the body's.
void add_brought_momentum(FemBody& body, const Vec3& brought);

/// Holds the nodes behind the mouth of an inlet to its speed at this time.
void push_inlet(FemBody& body, double time);

/// Counts a remesh at this time, s. volume: of the material, free of stress, m³.
void count_remesh(FemBody& body, double volume, double time);

}  // namespace pliant
