/** Lines that say what happened: a failure with a way to try again, a short confirmation, a wait. */

import { button, make, put, returned } from "./dom.js";

/**
 * Show a failure in place of a result.
 * @param {Element} place
 * @param {Error} error
 * @param {() => void} [retry]
 */
export function showFailure(place, error, retry) {
  put(
    place,
    make(
      "div",
      { class: "notice problem", role: "alert" },
      make("p", {}, make("strong", {}, "That did not work. "), error.message),
      retry && button("Try again", retry),
    ),
  );
}

/**
 * Show that something is being done.
 * @param {Element} place
 * @param {string} text
 */
export function showWait(place, text) {
  put(place, make("p", { class: "wait", role: "status" }, text));
}

/**
 * Ask whether to do what cannot be undone.
 * @param {string} title
 * @param {string} text
 * @param {string} verb on the button that does it
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
 * Copy a text, and say so on the button.
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
    control.textContent = "Not allowed here";
  }
  setTimeout(() => (control.textContent = label), 1_600);
}
