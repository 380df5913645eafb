// Writers that run side by side stamp one of these each, at random; before, all took turns at the node of the store. An
// older version, which looks at that node alone, must not take what it has kept for current.
UNWIND range(0, 63) AS number
MERGE (s:__GearStore {id: 'stamp/' + number})
ON CREATE SET s.changed = 0;
