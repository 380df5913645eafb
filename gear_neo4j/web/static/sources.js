/** The sources of passages, by collection, in pages; writers can delete them. */

import { call, isStopped } from "./api.js";
import { button, foreign, make, put } from "./dom.js";
import { confirmed, showFailure, showWait } from "./notices.js";
import { go } from "./tabs.js";
import { counted, line } from "./text.js";

const A_PAGE = 50;
// The service's limit for a page.
const LARGEST_PAGE = 1000;

/** A table of sources; `show` chooses the collection. */
export class SourceList {
  /**
   * @param {any} rights
   * @param {{onForget: (() => void) | null}} actions null if the caller may not delete sources
   */
  constructor({ collections }, { onForget }) {
    this.onForget = onForget;
    this.collection = "";
    this.most = A_PAGE;
    this.running = null;
    const options = (collections ?? []).map(value => make("option", { value }));
    const names = make("datalist", { id: "shown-names" }, ...options);
    this.filter = make("input", {
      id: "shown-collection",
      type: "search",
      list: "shown-names",
      placeholder: "all",
      maxlength: 200,
      autocomplete: "off",
    });
    const form = make(
      "form",
      { class: "bar", onsubmit: event => (event.preventDefault(), this.#choose()) },
      make("h2", {}, "Stored documents"),
      make("label", { for: "shown-collection" }, "Collection"),
      this.filter,
      names,
      make("button", { type: "submit" }, "Show"),
    );
    this.rows = make("tbody");
    this.more = make("div");
    this.state = make("div", { "aria-live": "polite" });
    const heads = ["Source", "Collection", "Passages"].map(head => make("th", { scope: "col" }, head));
    const last = onForget && make("th", { scope: "col" }, make("span", { class: "hidden" }, "Actions"));
    this.table = make("table", { hidden: true }, make("thead", {}, make("tr", {}, ...heads, last)), this.rows);
    this.element = make("section", { class: "stored" }, form, this.state, this.table, this.more);
  }

  /**
   * Show the first page of a collection, or of all.
   * @param {string} collection
   */
  show(collection) {
    this.collection = collection;
    this.filter.value = collection;
    this.most = A_PAGE;
    this.load();
  }

  /** Read all shown pages again: a job may end while a user reads further pages. */
  async load() {
    this.running?.abort();
    this.running = new AbortController();
    const { signal } = this.running;
    if (this.table.hidden) showWait(this.state, "Loading…");
    try {
      const { sources, next } = await this.#read(signal);
      put(this.rows, ...sources.map(source => this.#row(source)));
      this.table.hidden = !sources.length;
      put(this.state, this.table.hidden && make("p", { class: "note" }, "No documents."));
      put(this.more, next && button("Show more", () => this.#showMore()));
    } catch (error) {
      if (!isStopped(error)) showFailure(this.state, error, () => this.load());
    }
  }

  async #read(signal) {
    const read = [];
    let next = "";
    do {
      const limit = String(Math.min(this.most - read.length, LARGEST_PAGE));
      const query = new URLSearchParams({ limit, after: next });
      if (this.collection) query.set("collection", this.collection);
      const page = await call(`/api/documents?${query}`, { signal });
      read.push(...page.sources);
      next = page.next;
    } while (next && read.length < this.most);
    return { sources: read, next };
  }

  #showMore() {
    this.most += A_PAGE;
    this.load();
  }

  #row({ source, collection, passages }) {
    const forget =
      this.onForget &&
      make(
        "td",
        {},
        button("Delete", () => this.#forget(source, collection, passages), {
          class: "quiet",
          "aria-label": `Delete ${line(source, 120)} from ${line(collection, 80)}`,
        }),
      );
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, foreign(line(source, 300))),
      make("td", {}, foreign(line(collection, 80))),
      make("td", { class: "figure" }, passages.toLocaleString("en")),
      forget,
    );
  }

  async #forget(source, collection, passages) {
    const what = `${counted(passages, "passage")} of ${line(source, 120)} in ${line(collection, 80)}`;
    const text = `This removes ${what}, with all facts in them.`;
    if (!(await confirmed("Delete this source?", text, "Delete"))) return;
    const path = `/api/documents/${encodeURIComponent(source)}?collection=${encodeURIComponent(collection)}`;
    try {
      await call(path, { method: "DELETE" });
      this.onForget();
    } catch (error) {
      showFailure(this.state, error);
    }
  }

  #choose() {
    const collection = this.filter.value.trim();
    if (collection === this.collection) this.load();
    else go("documents", collection ? { collection } : {});
  }
}
