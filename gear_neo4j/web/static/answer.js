/** An answer with its markers, which open what they cite. */

import { button, foreign, make } from "./dom.js";
import { openPassage } from "./passage.js";
import { counted, factText, line, shown } from "./text.js";

// Not args[1], and not the text of a link.
const MARKERS = /((?<![A-Za-z0-9_])\[F?\d+(?:, F?\d+)*\](?!\())/;
const MARKER = /^F?\d+$/;
const REASONS = {
  max_steps: "It ended at the number of steps that is allowed.",
  no_new_question: "It ended because no further question came up.",
  budget: "It ended because its time or its tokens were spent.",
  model_error: "It ended because the language model failed.",
  no_graph_evidence: "The graph holds no evidence.",
  abstained: "The model would not answer from what it read.",
  exhausted: "It ended because nothing further could be tried.",
  cancelled: "It was stopped.",
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
    sources(answer.citations),
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

/** A marker opens the passage that it stands for; one of a fact leads to the list below the answer. */
function marker(citation) {
  const label = `[${citation.marker}]`;
  if (!citation.passage) {
    const fact = factText(citation.fact);
    return make("span", { class: "marker fact", title: fact }, label);
  }
  return button(label, () => openPassage(citation.passage), {
    class: "marker",
    "aria-label": `Source ${citation.marker}: ${line(citation.title, 120)}`,
  });
}

function sources(citations) {
  if (!citations.length) return null;
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
      button(title, () => openPassage(citation.passage), { class: "title" }),
      origin && make("span", { class: "note" }, foreign(origin)),
    );
  });
  return make("section", {}, make("h3", {}, "Sources"), make("ul", { class: "sources" }, ...rows));
}

function remarks(answer) {
  const invented = answer.removed_citations.length;
  const texts = [
    REASONS[answer.stop_reason],
    answer.failure && line(answer.failure, 500),
    answer.answer.trim() && !answer.grounded && "No passage or fact supports it: check it before you use it.",
    invented > 0 && `Markers that the model made up were removed: ${invented}.`,
  ].filter(Boolean);
  return texts.map(text => make("p", { class: "remark" }, text));
}

function cost(answer) {
  const { calls, input_tokens: input, output_tokens: output, estimated } = answer.total;
  const tokens = `${estimated ? "about " : ""}${counted(input + output, "token")}`;
  return `${answer.seconds.toFixed(1)} s · ${counted(calls, "call")} of the model · ${tokens}`;
}

/**
 * The markers of each passage that an answer cites.
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
