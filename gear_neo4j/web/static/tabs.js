/** Tabs after the ARIA pattern, and the address of what is shown: `#ask?question=...`. */

/**
 * @typedef {{show: (parameters: URLSearchParams) => void}} Tab
 */

/**
 * Let the tabs be chosen, from the moment that they are seen.
 * @param {string[]} names those in their ids and in the fragment
 */
export function offerTabs(names) {
  for (const name of names) {
    control(name).addEventListener("click", () => go(name));
    control(name).addEventListener("keydown", event => {
      const other = neighbour(names, name, event.key);
      if (!other) return;
      event.preventDefault();
      control(other).focus();
      go(other);
    });
  }
}

/**
 * Show the tab that the address names, now and whenever it changes; without one, or below a dialog, the first.
 * @param {Record<string, Tab>} tabs
 * @param {Record<string, (parameters: URLSearchParams) => void>} dialogs
 */
export function followAddress(tabs, dialogs) {
  const names = Object.keys(tabs);

  function follow() {
    const [name, query] = location.hash.slice(1).split(/\?(.*)/s);
    const parameters = new URLSearchParams(query ?? "");
    if (names.includes(name)) return open(name, parameters);
    const isDialog = Object.hasOwn(dialogs, name);
    if (isDialog || !location.hash) open(names[0], new URLSearchParams());
    if (isDialog) dialogs[name](parameters);
  }

  function open(name, parameters) {
    for (const other of names) {
      control(other).setAttribute("aria-selected", String(other === name));
      control(other).tabIndex = other === name ? 0 : -1;
      document.getElementById(`panel-${other}`).hidden = other !== name;
    }
    // On a phone, not all fit.
    control(name).scrollIntoView({ block: "nearest", inline: "nearest" });
    tabs[name].show(parameters);
  }

  addEventListener("hashchange", follow);
  follow();
}

/**
 * Open a tab, as if its address had been followed.
 * @param {string} name
 * @param {Record<string, string>} [parameters]
 */
export function go(name, parameters = {}) {
  const query = new URLSearchParams(parameters).toString();
  location.hash = query ? `${name}?${query}` : name;
}

/**
 * Write an address without opening anything.
 * @param {string} name
 * @param {Record<string, string>} parameters
 */
export function note(name, parameters) {
  history.replaceState(null, "", `#${name}?${new URLSearchParams(parameters)}`);
}

function control(name) {
  return document.getElementById(`tab-${name}`);
}

function neighbour(names, name, key) {
  const place = names.indexOf(name);
  const places = { ArrowRight: place + 1, ArrowLeft: place - 1, Home: 0, End: names.length - 1 };
  return key in places ? names.at(places[key] % names.length) : null;
}
