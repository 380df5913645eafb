/** Passages in several rankings: cards with the ranks of a passage elsewhere, and lines between them. */

import { button, draw, foreign, make } from "./dom.js";
import { openPassage } from "./passage.js";
import { line } from "./text.js";

/**
 * The lists of several searches, with references to one another.
 * @param {{name: string, search?: any}[]} columns
 * @returns {{list: (column: {name: string, search?: any}) => HTMLElement}}
 */
export function ranking(columns) {
  /** @type {Map<string, {name: string, rank: number}[]>} */
  const ranks = new Map();
  for (const { name, search } of columns) {
    for (const hit of search?.hits ?? []) ranks.set(hit.id, [...(ranks.get(hit.id) ?? []), { name, rank: hit.rank }]);
  }
  return {
    list: ({ name, search }) =>
      make(
        "ol",
        { class: "ranks" },
        ...search.hits.map(hit =>
          card(
            hit,
            ranks.get(hit.id).filter(other => other.name !== name),
          ),
        ),
      ),
  };
}

function card(hit, others) {
  const where = others.length ? `also ${others.map(({ name, rank }) => `${name} ${rank}`).join(", ")}` : "◆ only here";
  return make(
    "li",
    { class: others.length ? "card" : "card only", "data-passage": hit.id },
    make(
      "h3",
      {},
      make("span", { class: "number" }, `${hit.rank}.`),
      button(foreign(line(hit.title, 90) || line(hit.id, 90)), () => openPassage(hit.id), { class: "title" }),
    ),
    make("p", { class: "note" }, where),
  );
}

/**
 * Draw lines between the cards of the same passage in neighbouring columns, and update them when the layout changes.
 * @param {HTMLElement} board
 */
export function rankLines(board) {
  const layer = draw("svg", { class: "joins", "aria-hidden": "true" });
  board.prepend(layer);
  new ResizeObserver(() => layer.replaceChildren(...joins(board))).observe(board);
}

function joins(board) {
  const origin = board.getBoundingClientRect();
  const columns = [...board.querySelectorAll(".column")].map(
    column =>
      new Map(
        [...column.querySelectorAll("[data-passage]")].map(item => [
          item.dataset.passage,
          item.getBoundingClientRect(),
        ]),
      ),
  );
  return columns.slice(1).flatMap((right, index) => {
    const left = columns[index];
    return [...right].filter(([id]) => left.has(id)).map(([id, box]) => join(left.get(id), box, origin));
  });
}

function join(from, to, origin) {
  const [x1, y1] = [from.right - origin.left, from.top + from.height / 2 - origin.top];
  const [x2, y2] = [to.left - origin.left, to.top + to.height / 2 - origin.top];
  const middle = (x1 + x2) / 2;
  return draw("path", { class: "line", d: `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}` });
}
