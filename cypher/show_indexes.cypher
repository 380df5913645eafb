// name: show_indexes()
// access: read
// columns: name, type, labels, properties, state, percent, configuration, unique
// scope: free
// Every index. percent is how much of it has been built; unique is whether it belongs to a constraint.
SHOW INDEXES YIELD name, type, labelsOrTypes, properties, state, populationPercent, options, owningConstraint
RETURN name, type, labelsOrTypes AS labels, properties, state, populationPercent AS percent,
  options.indexConfig AS configuration,
  owningConstraint IS NOT NULL AS unique
