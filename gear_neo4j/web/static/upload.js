/** The upload form: files by choice or by drag and drop, their collection, and options. */

import { call } from "./api.js";
import { field, make, put } from "./dom.js";
import { showFailure, showWait } from "./notices.js";

const EXTRACT = {
  auto: "by rules, unless facts are uploaded",
  rules: "always by rules",
  none: "none",
};

/**
 * The form of an upload.
 * @param {any} rights
 * @param {{onSent: () => void}} actions
 * @returns {HTMLElement}
 */
export function uploadForm(rights, { onSent }) {
  const files = make("input", { id: "files", type: "file", multiple: true, accept: rights.accepts.join(",") });
  const triples = make("input", { id: "triples", type: "file", multiple: true, accept: ".jsonl" });
  const collection = collectionField(rights);
  const readers = make("input", { id: "readers", type: "text", placeholder: "everyone", autocomplete: "off" });
  const extract = make(
    "select",
    { id: "extract" },
    ...Object.entries(EXTRACT).map(([value, text]) => make("option", { value }, text)),
  );
  const replace = make("input", { id: "replace", type: "checkbox" });
  const submit = make("button", { type: "submit", class: "main" }, "Add");
  const state = make("div");

  async function send() {
    if (!files.files.length && !triples.files.length) return files.focus();
    submit.disabled = true;
    showWait(state, "Uploading…");
    try {
      await call("/api/documents", { form: body() });
      files.value = triples.value = "";
      put(state);
      onSent();
    } catch (error) {
      showFailure(state, error, send);
    } finally {
      submit.disabled = false;
    }
  }

  function body() {
    const form = new FormData();
    for (const file of files.files) form.append("files", file);
    for (const file of triples.files) form.append("triples", file);
    form.append("collection", collection.value.trim());
    form.append("extract", extract.value);
    form.append("replace", String(replace.checked));
    for (const name of readers.value.split(",")) if (name.trim()) form.append("readers", name.trim());
    return form;
  }

  const form = make(
    "form",
    { class: "question upload", onsubmit: event => (event.preventDefault(), submit.disabled || send()) },
    make("label", { for: "files", class: "large" }, "Add documents"),
    files,
    make("p", { class: "note" }, `Choose files, or drop them here: ${rights.accepts.join(", ")}.`),
    make(
      "div",
      { class: "controls" },
      field("collection", "Collection", collection),
      make("div", { class: "actions" }, submit),
    ),
    make(
      "details",
      {},
      make("summary", {}, "More options"),
      make(
        "div",
        { class: "options" },
        field("readers", "Readers, separated by commas", readers),
        field("extract", "Fact extraction", extract),
        field("triples", "Fact files (.jsonl)", triples),
        make(
          "div",
          { class: "field tick" },
          make("div", {}, replace, make("label", { for: "replace" }, "Replace existing ids")),
        ),
      ),
    ),
    state,
  );
  acceptDrops(form, files);
  return form;
}

/** A choice of the collections that the key allows, else any name. */
function collectionField({ collections }) {
  if (!collections) {
    return make("input", { id: "collection", type: "text", value: "default", required: true, autocomplete: "off" });
  }
  return make("select", { id: "collection" }, ...collections.map(name => make("option", { value: name }, name)));
}

function acceptDrops(form, files) {
  form.addEventListener("dragover", event => {
    event.preventDefault();
    form.classList.add("over");
  });
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", event => {
    event.preventDefault();
    form.classList.remove("over");
    if (event.dataTransfer.files.length) files.files = event.dataTransfer.files;
  });
}
