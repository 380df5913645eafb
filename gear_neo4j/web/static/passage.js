/** A passage and its facts, in a dialog. */

import { call } from "./api.js";
import { button, foreign, link, make, put, webAddress } from "./dom.js";
import { showFailure, showWait } from "./notices.js";
import { go } from "./tabs.js";
import { counted, divided, line, shown } from "./text.js";

const MOST_TRIPLES = 100;

/**
 * Open the dialog of a passage.
 * @param {string} id
 * @param {{start: number, end: number}[]} [spans] the parts of its text to mark
 */
export async function openPassage(id, spans = []) {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("passage"));
  const body = make("div", { class: "dialog-body" });
  const title = make("h2", { id: "passage-title", dir: "auto" }, "Passage");
  const close = button("Close", () => dialog.close(), { class: "quiet" });
  put(dialog, make("div", { class: "dialog-head" }, title, close), body);
  if (!dialog.open) dialog.showModal();
  await load(id, spans, title, body);
}

async function load(id, spans, title, body) {
  showWait(body, "Loading…");
  try {
    const passage = await call(`/api/passages/${encodeURIComponent(id)}`);
    title.textContent = line(passage.title) || line(passage.id);
    put(body, ...parts(passage, spans));
    body.querySelector("mark")?.scrollIntoView({ block: "nearest" });
  } catch (error) {
    showFailure(body, error, () => load(id, spans, title, body));
  }
}

function parts(passage, spans) {
  const origin = [passage.source, passage.position]
    .filter(Boolean)
    .map(part => line(part))
    .join(", ");
  return [
    origin && make("p", { class: "note" }, foreign(origin)),
    make("p", { dir: "auto" }, ...divided(passage.text, spans).map(marked)),
    neighbours(passage),
    metadata(passage),
    triples(passage),
    isOwn(passage.url) ? null : make("p", {}, link(passage.url, "Open the source")),
  ];
}

function marked({ text, within }) {
  return within ? make("mark", {}, shown(text)) : shown(text);
}

/** Buttons that open the passages before and after in the document. */
function neighbours({ previous, next }) {
  if (!previous && !next) return null;
  const open = (label, passage) => passage && button(label, () => openPassage(passage.id), { class: "quiet" });
  const buttons = [open("← Previous", previous), open("Next →", next)];
  return make("nav", { class: "actions", "aria-label": "In the document" }, ...buttons);
}

/** Whether an address, of the service itself or of MCP, only leads to this dialog. */
function isOwn(url) {
  const address = webAddress(url);
  return !address || address.startsWith(`${location.origin}/passages/`);
}

function metadata(passage) {
  const collection = passage.collection === "default" ? [] : [["collection", passage.collection]];
  const fields = [...collection, ...Object.entries(passage.metadata)];
  if (!fields.length) return null;
  const rows = fields.flatMap(([name, value]) => [
    make("dt", {}, line(name, 60)),
    make("dd", {}, foreign(line(Array.isArray(value) ? value.join(", ") : value, 300))),
  ]);
  return make("dl", { class: "pairs" }, ...rows);
}

function triples(passage) {
  const rows = passage.triples.slice(0, MOST_TRIPLES).map(triple => make("li", {}, statement(triple)));
  const more = !passage.exact || passage.triples.length > MOST_TRIPLES;
  const count = counted(passage.triples.length, "fact") + (more ? `, the first ${rows.length} shown` : "");
  return make("section", {}, make("h3", {}, count), make("ul", { class: "facts" }, ...rows));
}

/**
 * A fact whose ends link to the entities.
 * @param {{subject: string, predicate: string, object: string, head?: string, tail?: string}} triple
 * @returns {HTMLElement}
 */
export function statement(triple) {
  return make(
    "span",
    { class: "statement" },
    entity(triple.subject, triple.head),
    foreign(` ${line(triple.predicate)} `, "i"),
    entity(triple.object, triple.tail),
  );
}

/**
 * A button that opens an entity.
 * @param {string} name
 * @param {string} [id]
 * @returns {HTMLButtonElement}
 */
export function entity(name, id) {
  return button(foreign(line(name) || "(no name)"), () => explore(name, id), { class: "entity" });
}

/**
 * Show an entity in its tab.
 * @param {string} name
 * @param {string} [id]
 */
export function explore(name, id) {
  /** @type {HTMLDialogElement} */ (document.getElementById("passage")).close();
  go("explore", { name: String(name).slice(0, 500), ...(id ? { id } : {}) });
}
