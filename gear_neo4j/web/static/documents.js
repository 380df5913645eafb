/** The Documents tab: what is in the database, what is being added, and what is to be forgotten. */

import { make, put } from "./dom.js";
import { JobList } from "./jobs.js";
import { SourceList } from "./sources.js";
import { uploadForm } from "./upload.js";

/**
 * Build the tab; what it lists is read when it is opened.
 * @param {HTMLElement} panel
 * @param {any} rights what the caller may see and send
 * @param {{onChange: () => void}} actions
 * @returns {import("./tabs.js").Tab}
 */
export function mountDocuments(panel, rights, { onChange }) {
  const writes = rights.accepts.length > 0;
  const jobs = new JobList({
    onEnd: () => {
      sources.load();
      onChange();
    },
  });
  const sources = new SourceList(rights, { onForget: writes ? () => jobs.load() : null });
  const add = writes
    ? uploadForm(rights, { onSent: () => jobs.load() })
    : make("p", { class: "notice" }, "You can see the documents here, but not add or forget any.");
  put(panel, add, writes && jobs.element, sources.element);

  return {
    show: parameters => {
      sources.show(parameters?.get("collection") ?? "");
      if (writes) jobs.load();
    },
  };
}
