/** The Ask tab: a question, the steps and the answer as they arrive, with paths and passages. */

import { answerSection, markersByPassage } from "./answer.js";
import { call, isStopped, stream } from "./api.js";
import { Conversation } from "./conversation.js";
import { button, make, put } from "./dom.js";
import { remember, showHistory } from "./history.js";
import { hitList, searchNote } from "./hits.js";
import { copy, showFailure, showWait } from "./notices.js";
import { pathSection } from "./paths.js";
import { QuestionForm } from "./question_form.js";
import { QuotaLine } from "./quota.js";
import { addressed, bodyOf, choicesIn } from "./share.js";
import { StepLog } from "./steps.js";
import { note } from "./tabs.js";
import { counted } from "./text.js";

/**
 * Build the tab.
 * @param {HTMLElement} panel
 * @param {any} recipes
 * @returns {import("./tabs.js").Tab}
 */
export function mountAsk(panel, recipes) {
  const result = make("div", { class: "result" });
  const past = make("aside", { class: "history", "aria-label": "Recent questions" });
  const conversation = new Conversation();
  const quota = new QuotaLine();
  let running = null;

  const form = new QuestionForm(recipes, { onAsk: ask, onStop: () => running?.abort() });
  const missing =
    !recipes.has_model &&
    make(
      "p",
      { class: "notice" },
      "This service has no language model: an answer has the best sentences of what a search finds.",
    );
  const main = make("div", {}, missing, conversation.element, form.element, quota.element, result);
  put(panel, make("div", { class: "columns" }, main, past));
  const again = choices => (form.fill(choices), ask());
  const recall = choices => (conversation.clear(), again(choices));
  showHistory(past, recall);

  async function ask() {
    const choices = form.choices;
    if (!choices.question) return form.question.focus();
    note("ask", addressed(choices));
    remember(choices);
    showHistory(past, recall);
    running?.abort();
    running = new AbortController();
    form.running = true;
    try {
      await (choices.mode === "search" ? search : answer)(choices, {
        container: result,
        signal: running.signal,
        again: () => again(choices),
        history: conversation.turns,
        followUp: answer => {
          conversation.add(choices.question, answer);
          form.clear();
        },
      });
    } catch (error) {
      if (!isStopped(error)) showFailure(result, error, ask);
      else if (!result.querySelector(".answer:not(.draft)"))
        result.append(make("p", { class: "remark", role: "status" }, "Stopped."));
    } finally {
      form.running = false;
      quota.refresh();
    }
  }

  return {
    show: parameters => {
      if (parameters?.size) form.fill(choicesIn(parameters));
    },
  };
}

async function search(choices, { container, signal, again }) {
  showWait(container, "Searching…");
  const result = await call("/api/search", { body: bodyOf(choices), signal });
  put(
    container,
    bar(() => textOf(result.hits), again),
    make("p", { class: "note", role: "status" }, searchNote(result)),
    make("section", {}, make("h2", {}, "Passages"), hitList(result.hits)),
  );
  container.append(pathSection(result.paths, "Paths in the graph"));
}

async function answer(choices, { container, signal, again, history, followUp }) {
  const log = new StepLog();
  const final = make("div", { "aria-live": "polite" });
  put(container, log.element, log.draft, final);
  try {
    const body = { ...bodyOf(choices), history, stream: true };
    for await (const { name, data } of stream("/api/ask", { body, signal })) {
      if (name === "error") throw new Error(data.detail);
      if (name === "answer") return finish(data.answer, { log, container, final, again, followUp });
      log.add(name, data);
    }
    throw new Error("The stream ended before the answer. Try again.");
  } catch (error) {
    log.end("Stopped after");
    if (isStopped(error)) throw error;
    showFailure(final, error, again);
  }
}

function finish(result, { log, container, final, again, followUp }) {
  log.end("Answered in");
  put(final, answerSection(result));
  const next = button("Ask a follow-up", () => (next.remove(), followUp(result.answer)));
  container.prepend(bar(() => result.answer, again, next));
  container.prepend(final);
  const cited = markersByPassage(result);
  const steps = result.trace.steps.filter(step => step.paths.length);
  for (const step of steps.slice(0, 4)) {
    const heading = steps.length > 1 ? `Paths in step ${step.number}` : "Paths in the graph";
    container.append(pathSection(step.paths, heading, cited));
  }
  const hits = hitList(result.search.hits, { cited });
  container.append(make("section", {}, make("h2", {}, counted(result.search.hits.length, "passage")), hits));
}

/** The actions for a result. */
function bar(text, again, ...others) {
  const copyText = button("Copy", () => copy(copyText, text()));
  const share = button("Copy link", () => copy(share, location.href));
  return make("div", { class: "result-bar" }, button("Ask again", again), ...others, copyText, share);
}

function textOf(hits) {
  return hits.map(hit => `${hit.rank}. ${hit.title}\n${hit.text}`).join("\n\n");
}
