// name: show_indexes()
// access: read
// Every index: name, type, labels, properties, state, how many per cent of it are built, configuration, and whether it
// belongs to a constraint.
SHOW INDEXES YIELD name, type, labelsOrTypes, properties, state, populationPercent, options, owningConstraint
RETURN name, type, labelsOrTypes AS labels, properties, state, populationPercent AS percent,
  options.indexConfig AS configuration,
  owningConstraint IS NOT NULL AS unique
