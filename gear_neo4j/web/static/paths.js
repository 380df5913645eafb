/** Paths through the graph: as a picture, and as a list with a Cypher query for each. */

import { call } from "./api.js";
import { button, draw, foreign, link, make, put, webAddress } from "./dom.js";
import { copy, showFailure } from "./notices.js";
import { explore, openPassage } from "./passage.js";
import { pictureOf } from "./picture.js";
import { counted, line } from "./text.js";

const FIRST = 8;
const MOST = 100;

/**
 * A section with the paths of a search.
 * @param {any[]} paths best first
 * @param {string} heading
 * @param {Map<string, unknown>} [cited] the passages cited by an answer
 * @returns {HTMLElement}
 */
export function pathSection(paths, heading, cited = new Map()) {
  const container = make("div");
  const section = make("section", { class: "paths" }, make("h2", {}, heading), container);
  if (paths.length) show(container, paths, { most: FIRST, cited });
  else put(container, make("p", { class: "note" }, "No paths: none of these passages has facts."));
  return section;
}

async function show(container, paths, { most, cited }) {
  const some = paths.slice(0, Math.min(most, MOST));
  const drawn = make("div", { class: "drawn" }, make("p", { class: "wait" }, "Drawing…"));
  const more =
    some.length < Math.min(paths.length, MOST) &&
    button(`Show all ${Math.min(paths.length, MOST)} paths`, () => show(container, paths, { most: MOST, cited }));
  const list = make(
    "details",
    {},
    make("summary", {}, `${counted(some.length, "path")} as text, with Cypher`),
    pathList(some, []),
  );
  put(container, drawn, legend(cited.size > 0), list, more);
  try {
    const triples = some.map(({ text, score, scores, triples, passages, cypher }) => ({
      text,
      score,
      scores,
      triples,
      passages,
      cypher,
    }));
    const layout = await call("/api/picture", { body: { paths: triples } });
    const label = `${counted(some.length, "path")}, best first. Use the arrow keys to move between boxes.`;
    put(drawn, pictureOf(layout, { label, width: drawn.clientWidth - 24, cited, choose }));
    list.lastElementChild.replaceWith(pathList(some, layout.links));
  } catch (error) {
    showFailure(drawn, error, () => show(container, paths, { most, cited }));
  }
}

function choose(box) {
  if (box.kind === "triple") openPassage(box.passage);
  if (box.kind === "entity") explore(box.name);
}

function legend(hasCited) {
  const sample = kind =>
    draw(
      "svg",
      { class: `sample ${kind}`, width: 22, height: 14, "aria-hidden": "true" },
      draw("rect", { x: 1, y: 1, width: 20, height: 12, rx: kind === "entity" ? 6 : 3 }),
    );
  const best = draw(
    "svg",
    { class: "sample", width: 22, height: 14, "aria-hidden": "true" },
    draw("path", { class: "line best", d: "M1 7H21" }),
  );
  return make(
    "p",
    { class: "legend note" },
    make("span", {}, best, "best path"),
    make("span", {}, sample("entity"), "entity (opens in Explore)"),
    make("span", {}, sample("triple"), "fact (opens its passage)"),
    hasCited && make("span", {}, sample("cited"), "fact from a cited passage"),
  );
}

function pathList(paths, links) {
  return make("ol", { class: "path-list" }, ...paths.map((path, index) => make("li", {}, ...row(path, links[index]))));
}

function row(path, url) {
  return [
    make("p", {}, foreign(line(path.text, 600)), make("span", { class: "note" }, ` ${path.score.toFixed(2)}`)),
    cypherDetails(path.cypher, url),
  ];
}

/**
 * The query of a path, to open, copy, or run in Neo4j Browser.
 * @param {{statement: string, parameters: Record<string, unknown>}} cypher
 * @param {unknown} [url] its address in the Browser
 * @returns {HTMLElement}
 */
export function cypherDetails(cypher, url) {
  const statement = cypherText(cypher);
  const control = button("Copy Cypher", () => copy(control, statement));
  return make(
    "details",
    {},
    make("summary", {}, "Cypher"),
    make("pre", { tabindex: 0, "aria-label": "Cypher" }, statement),
    control,
    webAddress(url) && link(url, "Open in Neo4j Browser"),
  );
}

/**
 * A query with its parameters, for Neo4j Browser.
 * @param {{statement: string, parameters: Record<string, unknown>}} cypher
 * @returns {string}
 */
function cypherText(cypher) {
  const parameters = Object.entries(cypher.parameters).map(
    ([name, value]) => `:param ${name} => ${JSON.stringify(value)};\n`,
  );
  return parameters.join("") + cypher.statement;
}
