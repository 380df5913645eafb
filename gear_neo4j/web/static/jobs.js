/** Jobs that add or delete documents, with their progress and problems. */

import { call, isStopped, stream } from "./api.js";
import { button, foreign, make, put } from "./dom.js";
import { showFailure } from "./notices.js";
import { counted, line } from "./text.js";

const MOST_JOBS = 10;
const STATES = { waiting: "Waiting", running: "Running", done: "Done", failed: "Failed", cancelled: "Cancelled" };
const COUNTS = [
  ["documents_read", "document read", "documents read"],
  ["passages_written", "new passage", "new passages"],
  ["passages_replaced", "passage replaced", "passages replaced"],
  ["passages_removed", "passage removed", "passages removed"],
  ["triples_written", "new fact", "new facts"],
  ["triples_extracted", "fact by rules", "facts by rules"],
  ["triples_removed", "fact removed", "facts removed"],
  ["passages", "passage removed", "passages removed"],
  ["triples", "fact removed", "facts removed"],
];

/** The newest jobs; unfinished ones are followed, one at a time. */
export class JobList {
  /** @param {{onEnd: () => void}} actions */
  constructor({ onEnd }) {
    this.onEnd = onEnd;
    this.list = make("ul", { class: "jobs" });
    this.failure = make("div");
    this.element = make("section", { hidden: true, "aria-label": "Jobs" }, this.failure, this.list);
    this.cards = new Map();
    this.following = null;
  }

  /** Load the list, and follow the unfinished jobs. */
  async load() {
    this.following?.abort();
    this.following = new AbortController();
    const { signal } = this.following;
    try {
      for (;;) {
        const { jobs } = await call(`/api/jobs?limit=${MOST_JOBS}`, { signal });
        this.#show(jobs);
        // The queue starts with the oldest job.
        const next = jobs.findLast(job => !hasEnded(job));
        if (!next) return;
        await this.#follow(next.id, signal);
        this.onEnd();
      }
    } catch (error) {
      if (isStopped(error)) return;
      this.element.hidden = false;
      showFailure(this.failure, error, () => this.load());
    }
  }

  async #follow(id, signal) {
    for await (const { name, data } of stream(`/api/jobs/${id}/events`, { signal })) {
      if (name === "error") throw new Error(data.detail);
      this.cards.get(id)?.show(data);
    }
  }

  #show(jobs) {
    put(this.failure);
    this.element.hidden = !jobs.length;
    const earlier = this.cards;
    this.cards = new Map(jobs.map(job => [job.id, earlier.get(job.id) ?? new JobCard()]));
    for (const job of jobs) this.cards.get(job.id).show(job);
    put(this.list, ...[...this.cards.values()].map(card => card.element));
  }
}

class JobCard {
  constructor() {
    this.state = make("span", { class: "badge", role: "status" });
    this.title = make("h3", {});
    this.content = make("div");
    this.cancel = button("Cancel", () => this.#end(), { class: "quiet" });
    this.element = make(
      "li",
      { class: "card job" },
      make("div", { class: "bar" }, this.title, this.state, this.cancel),
      this.content,
    );
  }

  show(job) {
    this.id = job.id;
    put(this.title, foreign(titleOf(job)));
    if (this.state.textContent !== STATES[job.state]) this.state.textContent = STATES[job.state];
    this.element.className = `card job ${job.state}`;
    this.cancel.hidden = hasEnded(job);
    put(this.content, ...(hasEnded(job) ? [] : [progress(job)]), ...remarks(job));
  }

  async #end() {
    this.cancel.disabled = true;
    try {
      this.show(await call(`/api/jobs/${this.id}`, { method: "DELETE" }));
    } catch (error) {
      showFailure(this.content, error);
    } finally {
      this.cancel.disabled = false;
    }
  }
}

function hasEnded(job) {
  return !["waiting", "running"].includes(job.state);
}

function titleOf(job) {
  const where = ` · ${line(job.collection, 80)}`;
  if (job.task === "forget") return `Delete ${line(job.source, 120)}${where}`;
  const [first, ...others] = job.files;
  return `${line(first?.name, 120)}${others.length ? ` and ${others.length} more` : ""}${where}`;
}

function progress(job) {
  const stage = job.progress.at(-1);
  if (!stage) return make("p", { class: "note" }, job.state === "waiting" ? "Waiting in the queue." : "Starting.");
  const name = line(stage.stage, 40);
  const share = stage.total ? Math.min(100, Math.round((100 * stage.done) / stage.total)) : 0;
  return make(
    "div",
    { class: "progress" },
    make("progress", { max: 100, value: share, "aria-label": name }),
    make("span", { class: "note" }, `${name}: ${share} %`),
  );
}

function remarks(job) {
  const counts = COUNTS.filter(([name]) => job.counts[name] > 0).map(([name, ...nouns]) =>
    counted(job.counts[name], ...nouns),
  );
  const nothing = job.state === "done" && !counts.length && "No changes.";
  const text = counts.join(" · ") || nothing;
  return [
    text && make("p", { class: "note" }, text),
    job.detail && make("p", { class: "remark" }, line(job.detail, 600)),
    job.problem_count > 0 && problems(job),
  ];
}

function problems(job) {
  const rows = job.problems.map(({ file, line: number, reason }) =>
    make("li", {}, foreign(`${line(file, 120)}${number ? `, line ${number}` : ""}: ${line(reason, 300)}`)),
  );
  const more = job.problem_count - rows.length;
  return make(
    "details",
    {},
    make("summary", {}, counted(job.problem_count, "problem")),
    make("ul", { class: "plain problems" }, ...rows, more > 0 && make("li", { class: "note" }, `and ${more} more`)),
  );
}
