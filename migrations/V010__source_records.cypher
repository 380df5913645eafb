// Who may read a document, and where each source was read: records that outlive the passages.
CREATE CONSTRAINT gear_readers_id IF NOT EXISTS FOR (n:__GearReaders) REQUIRE n.id IS UNIQUE;
CREATE INDEX gear_readers_source IF NOT EXISTS FOR (n:__GearReaders) ON (n.collection, n.source);
CREATE CONSTRAINT gear_origin_id IF NOT EXISTS FOR (n:__GearOrigin) REQUIRE n.id IS UNIQUE;
