// name: show_indexes()
// access: read
// Every index: name, type, labels, properties, state, configuration, and whether it belongs to a constraint.
SHOW INDEXES YIELD name, type, labelsOrTypes, properties, state, options, owningConstraint
RETURN name, type, labelsOrTypes AS labels, properties, state, options.indexConfig AS configuration,
  owningConstraint IS NOT NULL AS unique
