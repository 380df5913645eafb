// fragment: set_built(n)
// Sets the properties of an imported node or relationship whose values the server builds.
CALL (n, row) {
  UNWIND row.built AS built
  WITH n, built, [text IN built.texts | CASE built.type
    WHEN 'date' THEN date(text)
    WHEN 'time' THEN time(text)
    WHEN 'localtime' THEN localtime(text)
    WHEN 'datetime' THEN datetime(text)
    WHEN 'localdatetime' THEN localdatetime(text)
    WHEN 'duration' THEN duration(text)
    WHEN 'point' THEN point(text)
  END] AS values
  SET n[built.name] = CASE WHEN built.array THEN values ELSE values[0] END
}
