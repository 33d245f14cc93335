// The swarm: which faults a seed has at all, and which of them when.
#pragma once

#include "sim/chance.h"
#include "sim/plan.h"

namespace smb3::sim {

void plan_faults(Plan& plan, Chance& chance);

}  // namespace smb3::sim
