/** The caller's key, stored for this tab only, or their sign-in: requested when the service requires one. */

import { returned } from "./dom.js";

const NAME = "gear-key";
const RETURN = "gear-return";

/**
 * The key of this tab; empty if there is none.
 * @returns {string}
 */
export function storedKey() {
  return sessionStorage.getItem(NAME) ?? "";
}

/**
 * Ask for a key, and store it; or let the person sign in, which leaves the page.
 * @param {string} reason why it is needed
 * @param {{signIn?: boolean}} [options] whether people can sign in
 * @returns {Promise<boolean>} false if nothing was entered
 */
export function askForKey(reason, { signIn = false } = {}) {
  waiting ??= ask(reason, signIn).finally(() => (waiting = null));
  return waiting;
}

/** Return to the address from which the person went to sign in. */
export function returnFromSignIn() {
  const address = sessionStorage.getItem(RETURN);
  sessionStorage.removeItem(RETURN);
  if (address && !location.hash) history.replaceState(null, "", address);
}

/** @type {Promise<boolean> | null} one dialog for all requests refused at the same time */
let waiting = null;

async function ask(reason, signIn) {
  const dialog = /** @type {HTMLDialogElement} */ (document.getElementById("key"));
  const field = /** @type {HTMLInputElement} */ (document.getElementById("key-field"));
  document.getElementById("key-title").textContent = signIn ? "Sign in" : "This service requires a key";
  const isFirst = signIn && !storedKey();
  document.getElementById("key-reason").textContent = isFirst ? "What you see depends on your account." : reason;
  const part = document.getElementById("key-part");
  part.open = !isFirst;
  part.querySelector("summary").hidden = !signIn;
  const way = document.getElementById("sign-in");
  way.hidden = !signIn;
  way.querySelector("button").onclick = () => {
    sessionStorage.setItem(RETURN, location.hash);
    location.assign("/sign-in");
  };
  field.value = "";
  const value = await returned(dialog);
  const key = field.value.trim();
  field.value = "";
  if (value !== "use" || !key) return false;
  sessionStorage.setItem(NAME, key);
  document.getElementById("key-button").hidden = false;
  return true;
}
