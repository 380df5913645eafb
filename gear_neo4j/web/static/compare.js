/** The Compare tab: one question, two to four retrievers side by side. */

import { call, isStopped } from "./api.js";
import { field, make, put } from "./dom.js";
import { searchNote } from "./hits.js";
import { showFailure, showWait } from "./notices.js";
import { ranking, rankLines } from "./ranks.js";
import { countIn } from "./share.js";
import { note } from "./tabs.js";
import { line } from "./text.js";

const LEAST = 2;
const MOST = 4;
const FIRST = ["base", "naive", "scout"];

/**
 * Build the tab.
 * @param {HTMLElement} panel
 * @param {any} recipes
 * @returns {import("./tabs.js").Tab}
 */
export function mountCompare(panel, recipes) {
  const usable = recipes.retrievers.filter(recipe => recipes.has_model || !recipe.requires_model);
  const question = make("input", {
    id: "compare-question",
    type: "text",
    maxlength: 4_000,
    required: true,
    dir: "auto",
    autocomplete: "off",
  });
  const k = make("input", { id: "compare-k", type: "number", min: 1, max: 20, value: 8, inputmode: "numeric" });
  const boxes = usable.map(recipe => choice(recipe, restrict));
  const submit = make("button", { type: "submit", class: "main" }, "Compare");
  const hint = make("p", { class: "note", id: "compare-hint", role: "status" });
  const result = make("div", { class: "result" });
  let running = null;

  const chosen = () => boxes.filter(box => box.input.checked).map(box => box.name);

  function restrict() {
    const count = chosen().length;
    for (const box of boxes) box.input.disabled = count >= MOST && !box.input.checked;
    submit.disabled = count < LEAST;
    hint.textContent =
      count < LEAST
        ? `Choose at least ${LEAST} retrievers.`
        : count >= MOST
          ? `You can compare up to ${MOST} retrievers.`
          : "";
  }

  async function compare() {
    const text = question.value.trim();
    if (!text) return question.focus();
    const names = chosen();
    note("compare", { question: text, retrievers: names.join(","), k: k.value });
    running?.abort();
    running = new AbortController();
    showWait(result, "Searching…");
    try {
      const columns = await Promise.all(names.map(name => searched(name, text, Number(k.value) || 8, running.signal)));
      show(result, columns);
    } catch (error) {
      if (!isStopped(error)) showFailure(result, error, compare);
    }
  }

  const form = make(
    "form",
    { class: "question", onsubmit: event => (event.preventDefault(), compare()) },
    make("label", { for: "compare-question", class: "large" }, "Question"),
    question,
    make(
      "fieldset",
      { "aria-describedby": "compare-hint" },
      make("legend", {}, `Retrievers, ${LEAST} to ${MOST}`),
      make("div", { class: "ticks" }, ...boxes.map(box => box.element)),
    ),
    hint,
    make(
      "div",
      { class: "controls" },
      field("compare-k", "Passages", k),
      make("div", { class: "actions" }, submit),
    ),
  );
  put(panel, form, result);
  restrict();

  return {
    show: parameters => {
      if (!parameters?.has("question")) return;
      question.value = parameters.get("question");
      const names = (parameters.get("retrievers") ?? "").split(",");
      if (names.length >= LEAST) for (const box of boxes) box.input.checked = names.slice(0, MOST).includes(box.name);
      k.value = countIn(parameters) ?? k.value;
      restrict();
    },
  };
}

function choice(recipe, onchange) {
  const id = `compare-${recipe.name}`;
  const input = make("input", { type: "checkbox", id, checked: FIRST.includes(recipe.name), onchange });
  return {
    name: recipe.name,
    input,
    element: make("span", { class: "tick" }, input, make("label", { for: id }, recipe.name)),
  };
}

/** One search; a failure becomes its column. */
async function searched(name, question, k, signal) {
  try {
    return { name, search: await call("/api/search", { body: { question, k, retriever: name }, signal }) };
  } catch (error) {
    if (isStopped(error) || error.code === "Gone") throw error;
    return { name, error };
  }
}

function show(container, columns) {
  const ranks = ranking(columns);
  const lists = columns.map(column => {
    const head = make("h2", {}, line(column.name));
    if (column.error)
      return make("section", { class: "column" }, head, make("p", { class: "remark" }, column.error.message));
    return make(
      "section",
      { class: "column", "aria-label": line(column.name) },
      head,
      make("p", { class: "note" }, searchNote(column.search)),
      ranks.list(column),
    );
  });
  const board = make("div", { class: "board" }, ...lists);
  const both = make(
    "p",
    { class: "note" },
    "Lines connect the same passage. A dashed card marked ◆ is a passage that only this retriever found.",
  );
  put(
    container,
    both,
    make("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Results side by side" }, board),
  );
  rankLines(board);
}
