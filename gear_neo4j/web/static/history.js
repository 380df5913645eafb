/** Questions that were asked before, in this browser alone. */

import { button, foreign, make, put } from "./dom.js";
import { line } from "./text.js";

const NAME = "gear-history";
const MOST = 30;

/**
 * The earlier questions, the latest first.
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
 * Keep a question.
 * @param {import("./share.js").Choices} choices
 */
export function remember(choices) {
  const others = earlier().filter(other => other.question !== choices.question || other.mode !== choices.mode);
  try {
    localStorage.setItem(NAME, JSON.stringify([choices, ...others].slice(0, MOST)));
  } catch {
    // A browser that keeps nothing has no history.
  }
}

/**
 * Show the earlier questions.
 * @param {Element} place
 * @param {(choices: import("./share.js").Choices) => void} choose
 */
export function showHistory(place, choose) {
  const kept = earlier();
  if (!kept.length) return put(place);
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
    "Clear the history",
    () => {
      localStorage.removeItem(NAME);
      put(place);
      document.getElementById("question")?.focus();
    },
    { class: "quiet" },
  );
  put(place, make("h2", {}, "Earlier"), make("ul", { class: "plain" }, ...rows), forget);
}
