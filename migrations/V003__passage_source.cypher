// A document that changed is compared with the passages of its source, and a source can be forgotten.
CREATE INDEX gear_passage_source IF NOT EXISTS FOR (n:Passage) ON (n.source);
