/** The form of a question, with its agent or retriever, options and scope. */

import { button, field, make, put } from "./dom.js";
import { optionsForm } from "./options.js";

/** The form of the Ask tab; `choices` reads it, `fill` writes it. */
export class QuestionForm {
  /**
   * @param {any} recipes
   * @param {{onAsk: () => void, onStop: () => void}} actions
   */
  constructor(recipes, { onAsk, onStop }) {
    this.recipes = recipes;
    this.question = make("textarea", { id: "question", rows: 2, maxlength: 4_000, required: true, dir: "auto" });
    this.modes = ["ask", "search"].map(mode => this.#mode(mode));
    this.agents = this.#usable(recipes.agents);
    this.agent = make("select", { id: "agent", onchange: () => this.#renew() }, ...options(this.agents));
    this.agent.value = recipes.has_model ? "gear" : "search";
    this.retriever = make("select", { id: "retriever", onchange: () => this.#renew() });
    this.k = make("input", { id: "k", type: "number", min: 1, max: 100, value: 10, inputmode: "numeric" });
    this.collections = make("input", { id: "collections", type: "text", placeholder: "all", autocomplete: "off" });
    this.where = make("input", { id: "where", type: "text", placeholder: "year >= 2020", autocomplete: "off" });
    this.about = make("p", { class: "note", id: "about" });
    this.optionFields = make("div");
    this.submit = make("button", { type: "submit", class: "main" }, "Ask");
    this.stop = button("Stop", onStop, { hidden: true });
    this.element = this.#build(onAsk);
    this.#renew();
  }

  /** @returns {import("./share.js").Choices} */
  get choices() {
    return {
      question: this.question.value.trim(),
      mode: this.mode,
      agent: this.agent.value,
      retriever: this.retriever.value,
      k: Math.min(100, Math.max(1, Number(this.k.value) || 10)),
      options: this.form.value(),
      collections: this.collections.value,
      where: this.where.value,
    };
  }

  /** @returns {"ask" | "search"} */
  get mode() {
    return this.modes[1].input.checked ? "search" : "ask";
  }

  /**
   * Fill choices into the form; missing ones stay unchanged.
   * @param {Partial<import("./share.js").Choices>} choices
   */
  fill(choices) {
    const mode = choices.mode === "search" ? 1 : 0;
    if (choices.mode) this.modes[mode].input.checked = true;
    for (const name of ["question", "collections", "where", "k"]) if (name in choices) this[name].value = choices[name];
    if (named(this.agents, choices.agent)) this.agent.value = choices.agent;
    this.#renew(choices.retriever, choices.options ?? {});
  }

  /** Empty the question, for the next one. */
  clear() {
    this.question.value = "";
    this.question.focus();
  }

  /** @param {boolean} running */
  set running(running) {
    this.submit.disabled = running;
    this.stop.hidden = !running;
  }

  #usable(recipes) {
    return recipes.filter(recipe => this.recipes.has_model || !recipe.requires_model);
  }

  #mode(mode) {
    const id = `mode-${mode}`;
    const input = make("input", {
      id,
      type: "radio",
      name: "mode",
      value: mode,
      checked: mode === "ask",
      onchange: () => this.#renew(),
    });
    return {
      input,
      element: make(
        "span",
        { class: "segment" },
        input,
        make("label", { for: id }, mode === "ask" ? "Answer" : "Search"),
      ),
    };
  }

  /** Update the retrievers and options for the current choice. */
  #renew(retriever = this.retriever.value, preset = {}) {
    const searching = this.mode === "search";
    const agent = named(this.agents, this.agent.value);
    const usable = this.#usable(this.recipes.retrievers);
    const own = searching ? [] : [make("option", { value: "" }, "default")];
    put(this.retriever, ...own, ...options(usable));
    this.retriever.value = named(usable, retriever) ? retriever : searching ? "auto" : "";
    this.agentField.hidden = searching;
    this.retrieverField.hidden = !searching && !agent?.options.properties?.over;
    const recipe = searching ? named(usable, this.retriever.value) : agent;
    this.form = optionsForm(recipe?.options ?? {}, { prefix: "option", preset });
    put(this.optionFields, this.form.element);
    this.about.textContent = (recipe?.summary ?? "").replaceAll("``", "");
    this.submit.textContent = searching ? "Search" : "Ask";
  }

  #build(onAsk) {
    this.agentField = field("agent", "Agent", this.agent);
    this.retrieverField = field("retriever", "Retriever", this.retriever);
    const common = make(
      "div",
      { class: "options" },
      field("k", "Passages", this.k),
      field("collections", "Collections, separated by commas", this.collections),
      field("where", "Metadata filter", this.where),
    );
    this.question.addEventListener("keydown", event => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      form.requestSubmit();
    });
    const form = make(
      "form",
      // A wrong value may be in a closed section: the service reports it.
      {
        class: "question",
        novalidate: true,
        onsubmit: event => (event.preventDefault(), this.submit.disabled || onAsk()),
      },
      make("label", { for: "question", class: "large" }, "Your question"),
      this.question,
      make(
        "div",
        { class: "controls" },
        make(
          "fieldset",
          { class: "segments" },
          make("legend", { class: "hidden" }, "Mode"),
          ...this.modes.map(mode => mode.element),
        ),
        this.agentField,
        this.retrieverField,
        make("div", { class: "actions" }, this.submit, this.stop),
      ),
      this.about,
      make("details", {}, make("summary", {}, "Options"), common, this.optionFields),
    );
    return form;
  }
}

function named(recipes, name) {
  return recipes.find(recipe => recipe.name === name);
}

function options(recipes) {
  return recipes.map(recipe => make("option", { value: recipe.name }, recipe.name));
}
