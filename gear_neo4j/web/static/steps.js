/** The steps of a run in progress: questions, facts, verdicts, and the draft of the answer. */

import { foreign, make } from "./dom.js";
import { counted, factText, line, shown } from "./text.js";

/** A log of steps, announced to screen readers. */
export class StepLog {
  constructor() {
    this.list = make("ol", { class: "steps", "aria-live": "polite", "aria-label": "Steps" });
    this.draft = make("p", { class: "answer draft", dir: "auto", "aria-hidden": "true" });
    this.summary = make("summary", {}, "Working…");
    this.element = make("details", { class: "run", open: true }, this.summary, this.list);
    this.count = 0;
    this.drafted = 0;
  }

  /**
   * Add an event of the stream.
   * @param {string} name
   * @param {any} event
   */
  add(name, event) {
    if (name === "step") this.#begin(event);
    else if (name === "facts") this.#note("facts", ...event.facts.map(fact => make("li", {}, foreign(factText(fact)))));
    else if (name === "verdict") this.#note("verdict", make("li", {}, foreign(line(event.text, 600))));
    else if (name === "failure") this.#note("failure", make("li", {}, foreign(line(event.text, 600))));
    else if (name === "token") this.#write(event);
  }

  /**
   * Close the log once the run has ended.
   * @param {string} outcome
   */
  end(outcome) {
    this.draft.remove();
    this.element.open = false;
    this.summary.textContent = `${outcome} ${counted(this.count, "step")}`;
  }

  #begin(event) {
    this.count += 1;
    this.current = make("li", {}, make("p", { class: "step" }, foreign(line(event.text, 600))));
    this.list.append(this.current);
  }

  #note(kind, ...items) {
    if (!items.length) return;
    if (!this.current) this.#begin({ text: "…" });
    this.current.append(make("ul", { class: kind }, ...items));
  }

  #write(event) {
    // The tokens of a later step replace those of an earlier one.
    if (event.step !== this.drafted) this.draft.textContent = "";
    this.drafted = event.step;
    this.draft.textContent = shown(this.draft.textContent + event.text, 10_000);
  }
}
