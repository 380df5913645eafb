// Every MERGE of an ingest looks up its node by one of these.
CREATE CONSTRAINT gear_passage_id IF NOT EXISTS FOR (n:Passage) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT gear_triple_id IF NOT EXISTS FOR (n:Triple) REQUIRE n.id IS UNIQUE;
CREATE CONSTRAINT gear_entity_key IF NOT EXISTS FOR (n:Entity) REQUIRE n.key IS UNIQUE;
CREATE CONSTRAINT gear_store_id IF NOT EXISTS FOR (n:__GearStore) REQUIRE n.id IS UNIQUE;
