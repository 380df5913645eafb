// name: import_nodes(rows, file, holder, after, line)
// access: write
// columns: written
// Creates nodes of a CSV file with the user's labels and properties, and stores the progress in that file in the same
// transaction. Each node has the import's key until the import is complete. Temporal and spatial values are built on
// the server. Nothing is created unless the file was imported up to the line $after, because another process may have
// continued. written is whether this $holder has written the rows, even if it sends them a second time.
// include: import_turn()
CALL (due) {
  UNWIND CASE WHEN due THEN $rows ELSE [] END AS row
  CREATE (n:__GearImport:$(row.labels))
  SET n += row.properties, n.__gearImport = row.key
  WITH n, row
  // include: set_built(n)
  RETURN count(*) AS rows
}
RETURN due OR done AS written
