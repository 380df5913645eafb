/** The caller's key: requested when the service requires one, and stored for this tab only. */

import { returned } from "./dom.js";

const NAME = "gear-key";

/**
 * The key of this tab; empty if there is none.
 * @returns {string}
 */
export function storedKey() {
  return sessionStorage.getItem(NAME) ?? "";
}

/**
 * Ask for a key, and store it.
 * @param {string} reason why it is needed
 * @returns {Promise<boolean>} false if nothing was entered
 */
export function askForKey(reason) {
  waiting ??= ask(reason).finally(() => (waiting = null));
  return waiting;
}

/** @type {Promise<boolean> | null} one dialog for all requests refused at the same time */
let waiting = null;

async function ask(reason) {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("key"));
  const field = /** @type {HTMLInputElement} */ (document.getElementById("key-field"));
  document.getElementById("key-reason").textContent = reason;
  field.value = "";
  const value = await returned(dialog);
  const key = field.value.trim();
  field.value = "";
  if (value !== "use" || !key) return false;
  sessionStorage.setItem(NAME, key);
  document.getElementById("key-button").hidden = false;
  return true;
}
