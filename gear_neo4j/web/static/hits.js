/** Passages that a search returned, best first. */

import { button, foreign, make } from "./dom.js";
import { openPassage } from "./passage.js";
import { counted, line } from "./text.js";

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
  const sources = hit.sources.map(source => `${line(source.name, 40)} ${source.rank}`).join(" · ");
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
    make("p", { class: "note" }, foreign([origin, score, sources].filter(Boolean).join(" · "))),
  );
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
