"""The MCP server: five read-only tools, three resources and a prompt over a :class:`gear_neo4j.Gear`."""
