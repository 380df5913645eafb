/** The conversation that a follow-up question belongs to; it ends with the page. */

import { button, foreign, make, put } from "./dom.js";
import { line } from "./text.js";

const MOST = 20;
const LONGEST = 20_000;

/** Earlier questions with their answers, shown above the form. */
export class Conversation {
  constructor() {
    /** @type {{question: string, answer: string}[]} */
    this.turns = [];
    this.element = make("section", { class: "conversation", "aria-label": "Conversation", hidden: true });
  }

  /**
   * Add a question that was answered; the next one may refer to it.
   * @param {string} question
   * @param {string} answer
   */
  add(question, answer) {
    this.turns = [...this.turns, { question, answer: answer.slice(0, LONGEST) }].slice(-MOST);
    this.#show();
  }

  /** End the conversation: the next question stands alone. */
  clear() {
    this.turns = [];
    this.#show();
  }

  #show() {
    this.element.hidden = !this.turns.length;
    const rows = this.turns.map(({ question, answer }) =>
      make(
        "li",
        {},
        foreign(line(question, 200)),
        make("p", { class: "note" }, foreign(line(answer, 300) || "No answer.")),
      ),
    );
    const end = button(
      "New conversation",
      () => {
        this.clear();
        document.getElementById("question")?.focus();
      },
      { class: "quiet" },
    );
    put(this.element, make("h2", {}, "Conversation"), make("ol", { class: "plain" }, ...rows), end);
  }
}
