/** The Documents tab: stored documents, uploads, and jobs. */

import { make, put } from "./dom.js";
import { JobList } from "./jobs.js";
import { SourceList } from "./sources.js";
import { uploadForm } from "./upload.js";

/**
 * Build the tab; its lists are loaded when it is opened.
 * @param {HTMLElement} panel
 * @param {any} rights the caller's rights
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
    : make("p", { class: "notice" }, "You can view documents here, but not add or delete them.");
  put(panel, add, writes && jobs.element, sources.element);

  return {
    show: parameters => {
      sources.show(parameters?.get("collection") ?? "");
      if (writes) jobs.load();
    },
  };
}
