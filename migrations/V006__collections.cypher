// The passages of a collection: how many they are decides how a search within it is planned, and a collection can be
// dropped. What is there already is put into the collection "default" afterwards, in batches.
CREATE INDEX gear_passage_collection IF NOT EXISTS FOR (n:Passage) ON (n.collection);
