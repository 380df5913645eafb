// Both labels are on each community: one that a user's graph may have, too, and one that says that it is ours.
CREATE CONSTRAINT gear_community_id IF NOT EXISTS FOR (n:__GearCommunity) REQUIRE n.id IS UNIQUE;
