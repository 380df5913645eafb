/** The Health tab: the findings of the doctor. */

import { call } from "./api.js";
import { button, make, put } from "./dom.js";
import { showFailure, showWait } from "./notices.js";
import { line } from "./text.js";

const LEVELS = {
  ok: { mark: "✓", word: "OK" },
  advice: { mark: "!", word: "Advice" },
  problem: { mark: "✗", word: "Problem" },
};

/**
 * Build the tab; the database is checked when it is first opened.
 * @param {HTMLElement} panel
 * @returns {import("./tabs.js").Tab}
 */
export function mountHealth(panel) {
  const result = make("div", { class: "result" });
  const again = button("Check again", examine);
  put(panel, make("div", { class: "bar" }, make("h2", {}, "Database health"), again), result);
  let examined = false;

  async function examine() {
    again.disabled = true;
    showWait(result, "Checking… This profiles a few searches.");
    try {
      const { findings } = await call("/api/health");
      put(result, summary(findings), make("ul", { class: "findings" }, ...findings.map(row)));
    } catch (error) {
      showFailure(result, error, examine);
    } finally {
      again.disabled = false;
    }
  }

  return {
    show: () => {
      if (!examined) examine();
      examined = true;
    },
  };
}

function summary(findings) {
  const count = level => findings.filter(finding => finding.level === level).length;
  const parts = Object.entries(LEVELS).map(([level, { word }]) => `${word}: ${count(level)}`);
  return make("p", { class: "note", role: "status" }, parts.join(" · "));
}

function row(finding) {
  const { mark, word } = LEVELS[finding.level];
  return make(
    "li",
    { class: `finding ${finding.level}` },
    make("span", { class: "level" }, make("span", { "aria-hidden": "true" }, mark), ` ${word}`),
    make(
      "div",
      {},
      make("h3", {}, line(finding.subject, 80)),
      make("p", {}, line(finding.detail, 1_000)),
      finding.fix && make("p", { class: "fix" }, make("strong", {}, "Fix: "), line(finding.fix, 500)),
    ),
  );
}
