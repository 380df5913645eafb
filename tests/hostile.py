"""Queries that a model might write: those to refuse, those that must end in time, and those to accept."""

from tests.attacks import ATTACKS

# Accepted by the guard, because they only read; they must end by the timeout, with at most the allowed rows.
BOUNDED = [
    "MATCH p = (a)-[*]-(b) RETURN count(p) AS n",
    "MATCH p = ((a)-[:KNOWS]-(b))+ RETURN max(length(p)) AS n",
    "MATCH (a), (b), (c), (d), (e), (f), (g), (h) WHERE a.born + h.born < 0 RETURN a",
    "MATCH (a), (b), (c), (d), (e), (f), (g), (h) RETURN a.name AS a, b.name AS b, h.name AS h",
    "MATCH (a), (b), (c), (d), (e), (f), (g), (h) RETURN a LIMIT 999999999",
    "UNWIND range(1, 1000) AS a UNWIND range(1, 1000) AS b UNWIND range(1, 1000) AS c RETURN a ORDER BY a * b * c DESC",
    "UNWIND range(1, 1000) AS a UNWIND range(1, 1000) AS b UNWIND range(1, 1000) AS c RETURN sum(a * b * c) AS n",
    "RETURN 1 AS a UNION ALL UNWIND range(1, 1000) AS a UNWIND range(1, 1000) AS b RETURN a",
    "MATCH (a), (b), (c) RETURN collect(a) AS everything",
]
HARMLESS = [
    "MATCH (n {name: 'LOAD CSV'}) RETURN n",
    'MATCH (n) WHERE n.name = "it\'s; DETACH DELETE n" RETURN n.name AS name',
    "MATCH (n:Set) RETURN n",
    "MATCH (n:Create|Delete&!Drop)-[r:MERGE|SET]->(m:`Load Csv`) RETURN type(r) AS type",
    "MATCH (set:Set) WHERE set.name = 'x' RETURN set.name AS name",
    "MATCH (n) RETURN n.create AS a, n.set AS b, n.delete AS c, n.use AS d, n.call AS e, n.show AS f",
    "MATCH (n) RETURN n {.name, set: n.born, call: 'CALL apoc.load()'} AS map",
    "MATCH (n) /* DROP INDEX x */ RETURN n // ; CREATE (n)",
    "MATCH (n) RETURN n.name AS limit, n.born AS load ORDER BY limit DESC",
    "MATCH (call:Call)-[:CALLED]->(start) WITH call, start WHERE call.date > '2024' RETURN start",
    "MATCH (t:Transaction) WITH collect(t) AS transactions MATCH (n) WHERE n IN transactions RETURN n",
    "MATCH (n) WHERE n.name =~ '(?i)ana.*' AND size(n.name) > 2 RETURN count(*) AS n",
    "MATCH (a:Person)-[:KNOWS*1..2]->(b) RETURN DISTINCT b.name AS name ORDER BY name SKIP 1 LIMIT 3;",
    "```cypher\nMATCH (n) RETURN n\n```",
    "Here is the query:\n```\nMATCH (n)\nRETURN n.name AS name\n```\nIt lists names.",
    "MATCH (n) WHERE n.name = 'Caf\\u00e9' RETURN n",
    "MATCH (n) WHERE n.path = 'C:\\\\users' RETURN n",
    "MATCH (n:Stra\u00dfe) WHERE n.\u540d\u5b57 = '\u9c81\u8fc5' RETURN n",
    "MATCH (n) WHERE EXISTS { MATCH (n)-[:KNOWS]->() } RETURN COUNT { (n)--() } AS degree",
    "MATCH (n) CALL (n) { MATCH (n)-->(m) RETURN count(m) AS c } RETURN n.name AS name, c",
    "CALL db.labels() YIELD label RETURN label",
    "MATCH (n) WHERE n.born > date('1900-01-01').year RETURN date.truncate('year', date()) AS d",
    "MATCH p = shortestPath((a:Person {name: 'Ana Petkova'})-[*..4]-(b:Board)) RETURN [n IN nodes(p) | n.name] AS x",
    "MATCH (n) RETURN CASE WHEN n.born < 1900 THEN 'old' ELSE 'young' END AS age, point({x: 1, y: 2}) AS p",
    "MATCH (n) RETURN n.name AS x UNION MATCH (m) RETURN m.seat AS x",
    "UNWIND range(1, 3) AS n RETURN n",
    "MATCH (n) RETURN n.name AS `set`, 1.5e3 AS x, 0xFF AS y, [1, 2, 3][0..2] AS z",
    "OPTIONAL MATCH (n:Nobody) RETURN n",
    "MATCH (n) WHERE n.name =~ '(?i).*(ana|petkova).*' OR n.name =~ '[A-Z][a-z]+ .*' RETURN n",
    "MATCH (n) WHERE n.name =~ '\\\\d{4}-\\\\d{2}.*' AND n.name <> 'A' RETURN n.name + ' (' + n.born + ')' AS a",
    "MATCH (n) RETURN replace(replace(n.name, ' ', '_'), '-', '') AS slug, toLower(n.name) AS lower",
    "MATCH (a)-[:KNOWS]->(b) WITH a, collect(b) AS friends WITH a, friends, size(friends) AS n WHERE n > 1 "
    "MATCH (a)-[:SEAT]->(c) WITH a, friends, n, c, n * 2 + n AS m ORDER BY m "
    "RETURN a.name, n + m AS sum, [f IN friends | f.name] AS names",
    "MATCH (a:Person) RETURN a.name AS name, [(a)-[:KNOWS]->(b) WHERE b.born > 1 | b.name] AS friends",
    "MATCH (a)-[r:KNOWS|SEAT]->(b) WITH a, sum(b.born * (1 - b.born)) AS s, avg(b.born) AS m "
    "RETURN a.name, round(s / m * 100) / 100 AS share, CASE WHEN s > m THEN s ELSE m END AS most",
]


def attacks(url, file):
    """All queries to refuse: kind, reason and reply, with the URL and the file that it asks for."""
    return [
        (kind, reason, reply.replace("{url}", url).replace("{file}", file))
        for kind, reasons in ATTACKS.items()
        for reason, some in reasons.items()
        for reply in some
    ]
