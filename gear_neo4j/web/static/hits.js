/** Passages that a search returned, best first, each with the reason why it was found. */

import { button, foreign, make } from "./dom.js";
import { openPassage } from "./passage.js";
import { cypherDetails } from "./paths.js";
import { counted, line } from "./text.js";

// What the rankings are called, as on the command line (gear_neo4j/cli/passages.py).
const RANKINGS = {
  bm25: "word search",
  fulltext: "full-text search",
  sbert: "vector search",
  hybrid: "hybrid search",
  weighted: "hybrid search",
  graph: "the graph",
  pagerank: "the graph",
  subgraph: "the graph",
  triples: "its triples",
  entities: "its entity",
  community: "its community",
};

/**
 * A list of hits.
 * @param {any[]} hits
 * @param {{cited?: Map<string, string[]>}} [options] the markers of cited passages
 * @returns {HTMLElement}
 */
export function hitList(hits, { cited = new Map() } = {}) {
  if (!hits.length) return make("p", { class: "note" }, "No passages found.");
  return make("ol", { class: "hits" }, ...hits.map(hit => make("li", {}, card(hit, cited.get(hit.id) ?? []))));
}

function card(hit, markers) {
  const score = `score ${hit.score.toFixed(3)}`;
  const origin = [hit.source, hit.position]
    .filter(Boolean)
    .map(part => line(part, 80))
    .join(", ");
  return make(
    "article",
    { class: markers.length ? "card cited" : "card" },
    make(
      "h3",
      {},
      make("span", { class: "number" }, `${hit.rank}.`),
      button(foreign(line(hit.title) || line(hit.id)), () => openPassage(hit.id), { class: "title" }),
      markers.length > 0 && make("span", { class: "badge cite" }, `cited as ${markers.join(", ")}`),
    ),
    foreign(line(hit.text, 420), "p"),
    make("p", { class: "note" }, foreign([origin, score].filter(Boolean).join(" · "))),
    make("p", { class: "note" }, foreign(foundBy(hit))),
    hit.path && make("p", { class: "via" }, "via ", foreign(line(hit.path.text, 600))),
    hit.path && cypherDetails(hit.path.cypher),
  );
}

/**
 * The rankings that contain a hit, with its similarity and the words that were found.
 * @param {any} hit
 * @returns {string}
 */
function foundBy(hit) {
  const details = {
    "vector search": hit.similarity?.toFixed(2),
    "full-text search": hit.words?.map(word => line(word, 40)).join(", "),
  };
  details["word search"] = details["full-text search"];
  const ranks = new Map();
  for (const { name, rank } of hit.sources) {
    const known = RANKINGS[name] ?? line(name, 40);
    if (!ranks.has(known)) ranks.set(known, rank);
  }
  const parts = [...ranks].map(([name, rank]) => `no. ${rank} by ${name}${details[name] ? ` (${details[name]})` : ""}`);
  return parts.length ? `Found: ${parts.join(", ")}` : "";
}

/**
 * The retriever, size and time of a search, and whether it is exact, on one line.
 * @param {any} search
 * @returns {string}
 */
export function searchNote(search) {
  const spent = Object.values(search.milliseconds).reduce((sum, part) => sum + part, 0);
  const parts = [line(search.retriever, 60), counted(search.hits.length, "passage"), `${Math.round(spent)} ms`];
  if (!search.exact) parts.push("approximate: part of the graph was too large to read in full");
  return parts.join(" · ");
}
