// What 'gear sync' has read: a node for each document, so that the next sync reads only what has changed since.
CREATE CONSTRAINT gear_source_id IF NOT EXISTS FOR (n:__GearSource) REQUIRE n.id IS UNIQUE;
CREATE INDEX gear_source_origin IF NOT EXISTS FOR (n:__GearSource) ON (n.collection, n.origin);
