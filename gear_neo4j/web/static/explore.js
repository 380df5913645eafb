/** The Explore tab: an entity by its name, its surroundings as a graph, its facts by passage, and similar names. */

import { call, isStopped } from "./api.js";
import { button, foreign, make, put } from "./dom.js";
import { GraphSection } from "./graph_section.js";
import { showFailure, showWait } from "./notices.js";
import { entity, openPassage, statement } from "./passage.js";
import { go } from "./tabs.js";
import { counted, line } from "./text.js";

const MOST_NEIGHBOURS = 40;
const TRAIL = 6;

/**
 * Build the tab.
 * @param {HTMLElement} panel
 * @returns {import("./tabs.js").Tab}
 */
export function mountExplore(panel) {
  const name = make("input", {
    id: "entity-name",
    type: "search",
    maxlength: 500,
    required: true,
    dir: "auto",
    autocomplete: "off",
  });
  const trail = make("nav", { class: "trail", "aria-label": "Recently viewed" });
  const result = make("div", { class: "result", "aria-live": "polite" });
  const seen = [];
  let running = null;
  let graph = null;

  const form = make(
    "form",
    { class: "question", onsubmit: event => (event.preventDefault(), go("explore", { name: name.value.trim() })) },
    make("label", { for: "entity-name", class: "large" }, "Entity name"),
    make(
      "div",
      { class: "controls" },
      name,
      make("div", { class: "actions" }, make("button", { type: "submit", class: "main" }, "Look up")),
    ),
  );
  put(panel, form, trail, result);

  async function load(wanted, id) {
    running?.abort();
    running = new AbortController();
    showWait(result, "Loading…");
    try {
      await show(wanted, id, running.signal);
    } catch (error) {
      if (!isStopped(error)) showFailure(result, error, () => load(wanted, id));
    }
  }

  async function show(wanted, id, signal) {
    if (id) return visit(await call(`/api/entities/${encodeURIComponent(id)}`, { signal }), []);
    const { entities } = await call(`/api/entities?name=${encodeURIComponent(wanted)}`, { signal });
    if (!entities.length)
      return put(result, make("p", { class: "notice" }, "No entity has this name or a similar one."));
    const [first, ...others] = entities;
    visit(await call(`/api/entities/${encodeURIComponent(first.id)}`, { signal }), others);
  }

  function visit(record, others) {
    const index = seen.findIndex(({ id }) => id === record.id);
    if (index >= 0) seen.splice(index, 1);
    seen.push({ id: record.id, name: record.name });
    const before = seen.slice(-TRAIL - 1, -1);
    put(
      trail,
      before.length > 0 && make("span", { class: "note" }, "Recent: "),
      ...before.map(other => entity(other.name, other.id)),
    );
    graph?.stop();
    graph = record.facts.length > 0 ? new GraphSection(record) : null;
    put(result, ...sections(record, others, graph?.element));
  }

  return {
    show: parameters => {
      if (!parameters?.has("name")) return;
      name.value = parameters.get("name");
      load(name.value, parameters.get("id"));
    },
  };
}

function sections(record, others, graph) {
  const labels = record.labels.filter(label => label !== "Entity").map(label => line(label, 60));
  const bounded =
    !record.exact &&
    make(
      "p",
      { class: "remark" },
      `This entity is a hub. Showing ${record.facts.length} of about ${counted(record.degree, "fact")}.`,
    );
  return [
    make("h2", { class: "entity-title" }, foreign(line(record.name) || "(no name)")),
    make("p", { class: "note" }, [...labels, counted(record.degree, "fact")].join(" · ")),
    bounded,
    others.length > 0 &&
      make(
        "p",
        { class: "alike" },
        make("span", { class: "note" }, "Similar names: "),
        ...others.map(other => entity(other.name, other.id)),
      ),
    graph,
    make(
      "div",
      { class: "columns" },
      make("section", {}, make("h3", {}, "Facts"), ...byPassage(record.facts)),
      aside(record),
    ),
  ];
}

function byPassage(facts) {
  const groups = Map.groupBy ? Map.groupBy(facts, fact => fact.passage) : grouped(facts);
  return [...groups].map(([passage, some]) =>
    make(
      "article",
      { class: "card" },
      make(
        "h4",
        {},
        button(foreign(line(some[0].title) || line(passage)), () => openPassage(passage), { class: "title" }),
      ),
      make("ul", { class: "facts" }, ...some.map(fact => make("li", {}, statement(fact)))),
    ),
  );
}

function grouped(facts) {
  const groups = new Map();
  for (const fact of facts) groups.set(fact.passage, [...(groups.get(fact.passage) ?? []), fact]);
  return groups;
}

function aside({ neighbours, synonyms }) {
  const some = neighbours.slice(0, MOST_NEIGHBOURS);
  const more =
    neighbours.length > some.length && make("p", { class: "note" }, `and ${neighbours.length - some.length} more`);
  const list = (items, note) =>
    make(
      "ul",
      { class: "plain" },
      ...items.map(item => make("li", {}, entity(item.name, item.id), make("span", { class: "note" }, note(item)))),
    );
  return make(
    "aside",
    { "aria-label": "Related entities" },
    make("h3", {}, "Neighbours"),
    list(some, neighbour => counted(neighbour.facts, "fact")),
    more,
    synonyms.length > 0 && make("h3", {}, "Similar names"),
    synonyms.length > 0 && list(synonyms, synonym => synonym.score.toFixed(2)),
  );
}
