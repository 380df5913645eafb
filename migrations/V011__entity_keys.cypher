// One name is one entity however its apostrophes, hyphens and invisible characters are written. Entities whose keys differ
// only in these are merged afterwards, in batches.
