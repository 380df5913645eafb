/** Notices: a failure with a button to retry, a confirmation, and a wait. */

import { button, make, put, returned } from "./dom.js";

/**
 * Show a failure instead of a result.
 * @param {Element} container
 * @param {Error} error
 * @param {() => void} [retry]
 */
export function showFailure(container, error, retry) {
  put(
    container,
    make(
      "div",
      { class: "notice problem", role: "alert" },
      make("p", {}, make("strong", {}, "Something went wrong. "), error.message),
      retry && button("Try again", retry),
    ),
  );
}

/**
 * Show that work is in progress.
 * @param {Element} container
 * @param {string} text
 */
export function showWait(container, text) {
  put(container, make("p", { class: "wait", role: "status" }, text));
}

/**
 * Ask for confirmation of an action that cannot be undone.
 * @param {string} title
 * @param {string} text
 * @param {string} verb the label of the button that confirms it
 * @returns {Promise<boolean>}
 */
export async function confirmed(title, text, verb) {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("confirm"));
  document.getElementById("confirm-title").textContent = title;
  document.getElementById("confirm-text").textContent = text;
  document.getElementById("confirm-do").textContent = verb;
  return (await returned(dialog)) === "do";
}

/**
 * Copy a text, and confirm it on the button.
 * @param {HTMLButtonElement} control
 * @param {string} text
 */
export async function copy(control, text) {
  const label = control.dataset.label ?? control.textContent;
  control.dataset.label = label;
  control.setAttribute("aria-live", "polite");
  try {
    await navigator.clipboard.writeText(text);
    control.textContent = "Copied";
  } catch {
    control.textContent = "Copying failed";
  }
  setTimeout(() => (control.textContent = label), 1_600);
}
