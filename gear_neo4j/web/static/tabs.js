/** Tabs that follow the ARIA pattern, with their state in the address: `#ask?question=...`. */

/**
 * @typedef {{show: (parameters: URLSearchParams) => void}} Tab
 */

/**
 * Make the tabs selectable before their modules are loaded.
 * @param {string[]} names the names in their ids and in the fragment
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
 * Show the tab in the address, now and whenever it changes; by default, or below a dialog, show the first.
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
    // On a phone, not all tabs fit.
    control(name).scrollIntoView({ block: "nearest", inline: "nearest" });
    tabs[name].show(parameters);
  }

  addEventListener("hashchange", follow);
  follow();
}

/**
 * Open a tab by its address.
 * @param {string} name
 * @param {Record<string, string>} [parameters]
 */
export function go(name, parameters = {}) {
  const query = new URLSearchParams(parameters).toString();
  location.hash = query ? `${name}?${query}` : name;
}

/**
 * Update the address without opening anything.
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
  const index = names.indexOf(name);
  const targets = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: names.length - 1 };
  return key in targets ? names.at(targets[key] % names.length) : null;
}
