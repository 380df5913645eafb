// name: import_relationships(rows, file, holder, after, line)
// access: write
// columns: written
// Creates relationships of a CSV file between imported nodes, with the user's type and properties, and stores the
// progress in that file in the same transaction. Temporal and spatial values are built on the server. Nothing is
// created unless the file was imported up to the line $after, because another process may have continued. written is
// whether this $holder has written the rows, even if it sends them a second time.
// include: import_turn()
CALL (due) {
  UNWIND CASE WHEN due THEN $rows ELSE [] END AS row
  MATCH (a:__GearImport {__gearImport: row.start})
  USING INDEX SEEK a:__GearImport(__gearImport)
  MATCH (b:__GearImport {__gearImport: row.end})
  USING INDEX SEEK b:__GearImport(__gearImport)
  CREATE (a)-[r:$(row.type)]->(b)
  SET r += row.properties
  WITH r, row
  // include: set_built(r)
  RETURN count(*) AS rows
}
RETURN due OR done AS written
