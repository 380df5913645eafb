/** The graph of an entity in Explore: the picture with its controls, and the same facts as a table. */

import { call, isStopped } from "./api.js";
import { button, field, foreign, make, put } from "./dom.js";
import { GraphData, MOST_NODES } from "./graph_data.js";
import { GraphView } from "./graph_view.js";
import { showFailure } from "./notices.js";
import { entity, openPassage } from "./passage.js";
import { counted, line } from "./text.js";

const MOST_ROWS = 500;
const MOST_PREDICATES = 100;

/** The surroundings of an entity; grows as its nodes are opened. */
export class GraphSection {
  /** @param {any} record of an entity, as `/api/entities/ID` returns it */
  constructor(record) {
    this.data = new GraphData(() => this.view.place());
    this.view = new GraphView(this.data, {
      choose: node => this.#showTools(node),
      open: node => this.#open(node, { byKeyboard: true }),
    });
    this.tools = make("div", { class: "graph-tools", "aria-live": "polite" });
    this.notice = make("p", { class: "note", role: "status" });
    this.filter = make("select", { id: "graph-filter", onchange: () => this.#choosePredicate() });
    this.table = make("div", { class: "scroll" });
    this.element = make(
      "section",
      { class: "graph-section", "aria-label": "Graph" },
      make("h3", {}, "Graph"),
      make(
        "div",
        { class: "graph-controls" },
        field("graph-filter", "Relationship", this.filter),
        button("+", () => this.view.enlarge(1.25), { "aria-label": "Larger" }),
        button("−", () => this.view.enlarge(0.8), { "aria-label": "Smaller" }),
        button("Fit", () => this.view.fit()),
      ),
      this.view.element,
      this.tools,
      this.notice,
      make("details", {}, make("summary", {}, "Its facts as a table"), this.table),
    );
    this.#add(record);
    this.#showTools(this.data.nodes.get(record.id));
    // Once it is on the page, and has a size.
    requestAnimationFrame(() => this.view.show());
  }

  /** Stop moving: the section is no longer shown. */
  stop() {
    this.loading?.abort();
    this.data.stop();
  }

  #add(record) {
    const left = this.data.add(record);
    const full = left ? `There is no room for ${counted(left, "neighbour")}: at most ${MOST_NODES} are shown.` : "";
    put(this.notice, full);
    this.#update();
  }

  #update() {
    const predicates = this.data.predicates().slice(0, MOST_PREDICATES);
    const option = (value, text) => make("option", { value, selected: value === this.data.predicate }, text);
    put(
      this.filter,
      option("", "all"),
      ...predicates.map(([name, count]) => option(name, `${line(name, 60)} (${count})`)),
    );
    put(this.table, tableOf(this.data.facts()));
    this.view.redraw();
  }

  #choosePredicate() {
    this.data.predicate = this.filter.value;
    this.view.redraw();
    this.#showTools(this.view.current);
  }

  #showTools(node) {
    if (!node) return put(this.tools);
    const isPinned = node.fx !== null;
    put(
      this.tools,
      entity(node.name, node.id),
      !node.open && button("Open", () => this.#open(node)),
      button(isPinned ? "Unpin" : "Pin", () => (this.data.pin(node, !isPinned), this.view.choose(node))),
      button("Remove", () => this.#remove(node)),
    );
  }

  async #open(node, { byKeyboard = false } = {}) {
    if (node.open) return;
    this.loading?.abort();
    this.loading = new AbortController();
    put(this.notice, `Loading ${line(node.name, 80)}…`);
    try {
      this.#add(await call(`/api/entities/${encodeURIComponent(node.id)}`, { signal: this.loading.signal }));
      this.view.show();
      if (byKeyboard) this.view.focus(node);
      else this.view.choose(node);
    } catch (error) {
      if (!isStopped(error)) showFailure(this.notice, error, () => this.#open(node));
    }
  }

  #remove(node) {
    this.data.remove(node.id);
    this.#update();
    this.#showTools(this.view.current);
  }
}

function tableOf(facts) {
  const cell = (name, id) => make("td", {}, entity(name, id));
  const rows = facts
    .slice(0, MOST_ROWS)
    .map(fact =>
      make(
        "tr",
        {},
        cell(fact.subject, fact.head),
        make("td", {}, foreign(line(fact.predicate, 120))),
        cell(fact.object, fact.tail),
        make(
          "td",
          {},
          button(foreign(line(fact.title, 80) || "passage"), () => openPassage(fact.passage), { class: "entity" }),
        ),
      ),
    );
  const heads = ["Subject", "Relationship", "Object", "Passage"].map(name => make("th", { scope: "col" }, name));
  const more = facts.length > rows.length && make("p", { class: "note" }, `and ${facts.length - rows.length} more`);
  const head = make("thead", {}, make("tr", {}, ...heads));
  return make("div", {}, make("table", {}, head, make("tbody", {}, ...rows)), more);
}
