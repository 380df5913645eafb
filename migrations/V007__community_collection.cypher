// The communities of a collection are read, replaced and dropped together. Those that are there already are put into the
// collection "default" afterwards, in batches, if that is the only one.
CREATE INDEX gear_community_collection IF NOT EXISTS FOR (n:__GearCommunity) ON (n.collection);
