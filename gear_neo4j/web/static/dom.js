/** Elements made from data: text is never markup, and links only lead to the web. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * @typedef {Node | string | null | undefined | false} Child
 */

/**
 * An element with attributes and children. `onclick` and the like add listeners; strings become text nodes.
 * @param {string} tag
 * @param {Record<string, unknown>} [attributes] false, null and undefined omit an attribute
 * @param {...Child} children
 * @returns {HTMLElement}
 */
export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/**
 * The same for an SVG element.
 * @param {string} tag
 * @param {Record<string, unknown>} [attributes]
 * @param {...Child} children
 * @returns {SVGElement}
 */
export function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/**
 * Replace the content of an element.
 * @param {Element} element
 * @param {...Child} children
 */
export function put(element, ...children) {
  element.replaceChildren(...children.filter(child => child || child === ""));
}

/**
 * A link that opens in a new tab; plain text if the address is not on the web.
 * @param {string} url
 * @param {string} text
 * @returns {HTMLElement}
 */
export function link(url, text) {
  const address = webAddress(url);
  if (!address) return make("span", {}, text);
  return make("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, text);
}

/**
 * The normalised address if it is on the web, or null.
 * @param {unknown} url
 * @returns {string | null}
 */
export function webAddress(url) {
  if (typeof url !== "string" || !URL.canParse(url)) return null;
  const parsed = new URL(url);
  return parsed.protocol === "http:" || parsed.protocol === "https:" ? parsed.href : null;
}

/**
 * Text from others, with its own direction.
 * @param {string} text
 * @param {string} [tag]
 * @returns {HTMLElement}
 */
export function foreign(text, tag = "bdi") {
  return make(tag, { dir: "auto" }, text);
}

/**
 * A button.
 * @param {string | Node} content
 * @param {() => void} action
 * @param {Record<string, unknown>} [attributes]
 * @returns {HTMLButtonElement}
 */
export function button(content, action, attributes = {}) {
  return /** @type {HTMLButtonElement} */ (make("button", { type: "button", onclick: action, ...attributes }, content));
}

/**
 * A control with its label.
 * @param {string} id the id of the control
 * @param {string} label
 * @param {Element} control
 * @returns {HTMLElement}
 */
export function field(id, label, control) {
  return make("div", { class: "field" }, make("label", { for: id }, label), control);
}

/**
 * Open a dialog and wait until it is closed.
 * @param {HTMLDialogElement} dialog
 * @returns {Promise<string>} the value of the button that closed it; empty if it was dismissed
 */
export async function returned(dialog) {
  dialog.returnValue = "";
  dialog.showModal();
  await new Promise(resolve => dialog.addEventListener("close", resolve, { once: true }));
  return dialog.returnValue;
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter(child => child || child === ""));
  return element;
}
