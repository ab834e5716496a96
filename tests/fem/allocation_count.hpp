#pragma once

namespace pliant {

/// How often this program has asked for memory so far.
long allocation_count();

}  // namespace pliant
