/** Recent questions, stored only in this browser. */

import { button, foreign, make, put } from "./dom.js";
import { line } from "./text.js";

const NAME = "gear-history";
const MOST = 30;

/**
 * The recent questions, latest first.
 * @returns {import("./share.js").Choices[]}
 */
function earlier() {
  try {
    const kept = JSON.parse(localStorage.getItem(NAME) ?? "[]");
    return Array.isArray(kept) ? kept.filter(choices => typeof choices?.question === "string") : [];
  } catch {
    return [];
  }
}

/**
 * Store a question.
 * @param {import("./share.js").Choices} choices
 */
export function remember(choices) {
  const others = earlier().filter(other => other.question !== choices.question || other.mode !== choices.mode);
  try {
    localStorage.setItem(NAME, JSON.stringify([choices, ...others].slice(0, MOST)));
  } catch {
    // Without storage there is no history.
  }
}

/**
 * Show the recent questions.
 * @param {Element} container
 * @param {(choices: import("./share.js").Choices) => void} choose
 */
export function showHistory(container, choose) {
  const kept = earlier();
  if (!kept.length) return put(container);
  const rows = kept.map(choices => {
    const label = foreign(line(choices.question, 120), "span");
    const kind = make("span", { class: "note" }, choices.mode === "search" ? "search" : line(choices.agent, 40));
    return make(
      "li",
      {},
      button(label, () => choose(choices), { class: "row" }),
      kind,
    );
  });
  const forget = button(
    "Clear history",
    () => {
      localStorage.removeItem(NAME);
      put(container);
      document.getElementById("question")?.focus();
    },
    { class: "quiet" },
  );
  put(container, make("h2", {}, "Recent"), make("ul", { class: "plain" }, ...rows), forget);
}
