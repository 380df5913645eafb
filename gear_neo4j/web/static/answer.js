/** An answer with markers that open the cited passages. */

import { button, foreign, make } from "./dom.js";
import { openPassage } from "./passage.js";
import { counted, divided, factText, line, shown } from "./text.js";

// Not args[1], and not the text of a link.
const MARKERS = /((?<![A-Za-z0-9_])\[F?\d+(?:, F?\d+)*\](?!\())/;
const MARKER = /^F?\d+$/;
const WITH_SPACE = new RegExp(`\\s?${MARKERS.source}`, "g");
const REASONS = {
  max_steps: "The step limit was reached.",
  no_new_question: "No further question came up.",
  budget: "The budget of time or tokens was used up.",
  model_error: "The language model failed.",
  no_graph_evidence: "The graph has no evidence.",
  abstained: "The model declined to answer from these passages.",
  exhausted: "There was nothing further to try.",
  cancelled: "The run was stopped.",
};

/**
 * The answer with its sources.
 * @param {any} answer
 * @returns {HTMLElement}
 */
export function answerSection(answer) {
  const cited = new Map(answer.citations.map(citation => [citation.marker, citation]));
  const text = answer.answer.trim()
    ? make("p", { class: "answer", dir: "auto" }, ...pieces(shown(answer.answer), cited))
    : make("p", { class: "answer none" }, "No answer.");
  return make(
    "div",
    {},
    text,
    ...remarks(answer),
    sources(answer),
    make("p", { class: "note" }, cost(answer)),
  );
}

function pieces(text, cited) {
  return text.split(MARKERS).flatMap(part => (MARKERS.test(part) ? marked(part, cited) : [part]));
}

function marked(part, cited) {
  return part
    .slice(1, -1)
    .split(", ")
    .filter(name => MARKER.test(name))
    .map(name => (cited.has(name) ? marker(cited.get(name)) : `[${name}]`));
}

/** The marker of a passage opens it; that of a fact shows the fact as a tooltip. */
function marker(citation) {
  const label = `[${citation.marker}]`;
  if (!citation.passage) {
    const fact = factText(citation.fact);
    return make("span", { class: "marker fact", title: fact }, label);
  }
  return button(label, () => openPassage(citation.passage, citation.spans), {
    class: "marker",
    "aria-label": `Source ${citation.marker}: ${line(citation.title, 120)}`,
  });
}

/** The sentence behind a citation, or what its passage says there, unless the answer says the same. */
function quotes(citation, text) {
  if (citation.sentence) return [citation.sentence];
  const said = line(text.replace(WITH_SPACE, ""), 20_000);
  const within = divided(citation.text, citation.spans).filter(part => part.within);
  return within.map(part => part.text).filter(quote => !said.includes(line(quote, 20_000)));
}

function sources({ answer: text, citations }) {
  if (!citations.length) return null;
  const isMarked = text.search(MARKERS) >= 0;
  const corrected = citation => isMarked && citation.sentence;
  const rows = citations.map(citation => {
    const number = make("span", { class: "number" }, `[${citation.marker}]`);
    if (!citation.passage) return make("li", {}, number, foreign(factText(citation.fact)));
    const origin = [citation.source, citation.position]
      .filter(Boolean)
      .map(part => line(part, 80))
      .join(", ");
    const title = foreign(line(citation.title) || line(citation.passage));
    return make(
      "li",
      {},
      number,
      button(title, () => openPassage(citation.passage, citation.spans), { class: "title" }),
      origin && make("span", { class: "note" }, foreign(origin)),
      corrected(citation) && make("span", { class: "note" }, "not cited by the model, but says this"),
      ...quotes(citation, text).map(quote => make("q", { class: "support" }, foreign(line(quote, 500)))),
    );
  });
  const found = citations.some(citation => citation.sentence);
  const heading = found && !isMarked ? "Sources, found for this answer: the model cites none" : "Sources";
  return make("section", {}, make("h3", {}, heading), make("ul", { class: "sources" }, ...rows));
}

function remarks(answer) {
  const invented = answer.removed_citations.length;
  const texts = [
    answer.asked && `Asked as: ${line(answer.question, 300)}`,
    REASONS[answer.stop_reason],
    answer.failure && line(answer.failure, 500),
    answer.answer.trim() && !answer.grounded && "No passage or fact supports this answer: check it before you use it.",
    invented > 0 && `Citations without a source were removed: ${invented}.`,
  ].filter(Boolean);
  return texts.map(text => make("p", { class: "remark" }, text));
}

function cost(answer) {
  const { calls, input_tokens: input, output_tokens: output, estimated } = answer.total;
  const tokens = `${estimated ? "about " : ""}${counted(input + output, "token")}`;
  return `${answer.seconds.toFixed(1)} s · ${counted(calls, "model call")} · ${tokens}`;
}

/**
 * The markers of each cited passage.
 * @param {any} answer
 * @returns {Map<string, string[]>}
 */
export function markersByPassage(answer) {
  const markers = new Map();
  for (const { marker: name, passage } of answer.citations) {
    if (passage) markers.set(passage, [...(markers.get(passage) ?? []), `[${name}]`]);
  }
  return markers;
}
