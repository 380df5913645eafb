"""A collection brought to what its sources hold now: origins, the plan, moves, and the run."""
