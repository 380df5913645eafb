/** The caller's quota: one line that says how much of it is used. */

import { call } from "./api.js";
import { make } from "./dom.js";

/** The line; it stays hidden for callers without a quota. */
export class QuotaLine {
  constructor() {
    this.element = make("p", { class: "note", hidden: true });
    this.limits = null;
    this.refresh();
  }

  /** Ask the service again, unless there is no quota. */
  async refresh() {
    if (this.limits?.length === 0) return;
    try {
      ({ limits: this.limits } = await call("/api/quota"));
    } catch {
      // The page works without this line.
      return;
    }
    this.element.textContent = `Used: ${this.limits.map(part).join(", ")}.`;
    this.element.hidden = !this.limits.length;
  }
}

function part({ unit, period, limit, used }) {
  const when = period === "day" ? "today" : "this month";
  return `${used.toLocaleString("en")} of ${limit.toLocaleString("en")} ${unit} ${when}`;
}
