/** The result of a tool as a picture, in a host that shows apps of MCP: each path from entity to entity. A fact shows
 * the passage that states it.
 *
 * The few messages between page and host are written out here. Their library, with what it needs, has 540 KB, and a host
 * loads the page anew for each result.
 */

const PROTOCOL = "2026-01-26";
const META = "gear-neo4j/";
const view = document.getElementById("view");
const waiting = new Map();
let last = 0;

/** Send a request to the host. */
function request(method, params) {
  last += 1;
  const id = last;
  post({ jsonrpc: "2.0", id, method, params });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

function notify(method, params = {}) {
  post({ jsonrpc: "2.0", method, params });
}

function post(message) {
  // The origin of the host is not known, and the messages hold nothing that it has not sent.
  window.parent.postMessage(message, "*");
}

window.addEventListener("message", event => {
  if (event.source !== window.parent || event.data?.jsonrpc !== "2.0") return;
  const { id, method, params, result, error } = event.data;
  if (method === "ui/notifications/tool-result") show(params);
  else if (method === "ui/notifications/tool-cancelled") put(make("p", "quiet", "The call was cancelled."));
  else if (method === "ui/notifications/host-context-changed") dress(params);
  else if (method !== undefined && id !== undefined) post({ jsonrpc: "2.0", id, result: {} });
  else if (method === undefined && waiting.has(id)) {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error) reject(new Error(error.message));
    else resolve(result);
  }
});

function dress(context) {
  if (context?.theme) document.documentElement.dataset.theme = context.theme;
}

function make(tag, name, ...content) {
  const element = document.createElement(tag);
  if (name) element.className = name;
  element.append(...content);
  return element;
}

function put(...elements) {
  view.replaceChildren(...elements);
}

/** The result of any of the tools. */
function show(result) {
  const found = result.structuredContent ?? {};
  const steps = result._meta?.[`${META}steps`] ?? {};
  const fetch = result._meta?.[`${META}fetch`];
  const items = result.isError ? [] : itemsOf(found, steps);
  const text = (result.content ?? []).map(part => part.text ?? "").join("\n");
  const answer = found.answer ? [make("p", "", found.answer)] : [];
  const none = make("p", "quiet", result.isError ? text : "Nothing was found.");
  put(...answer, ...items.map(item => drawn(item, fetch)), ...(answer.length || items.length ? [] : [none]));
}

/** What a tool found, each with a title, a text, and the steps that lead to it. */
function itemsOf(found, steps) {
  if (found.results) return found.results.map(one => ({ title: one.title, text: one.text, steps: steps[one.id] }));
  if (found.answer !== undefined)
    return found.citations.map(one => ({
      title: `${one.marker} ${one.title}`,
      text: one.quotes.join(" … ") || one.sentence,
      steps: steps[one.id],
    }));
  return (found.paths ?? []).map((one, rank) => ({ title: "", text: "", steps: steps[rank] }));
}

function drawn({ title, text, steps }, fetch) {
  const article = make("article", "");
  if (title) article.append(make("h2", "", title));
  let line = null;
  for (const step of steps ?? []) {
    if (!line || !step.continues) {
      line = make("ol", "path", make("li", "entity", step.start));
      article.append(line);
    }
    const arrow = step.forward ? `${step.predicate} →` : `← ${step.predicate}`;
    const fact = fetch && step.passage ? factOf(arrow, step.passage, fetch, article) : arrow;
    line.append(make("li", "", fact), make("li", "entity", step.end));
  }
  if (text) article.append(make("p", "quiet", text));
  return article;
}

function factOf(text, passage, fetch, article) {
  const button = make("button", "fact", text);
  button.setAttribute("aria-expanded", "false");
  let shown = null;
  button.addEventListener("click", async () => {
    if (shown) {
      shown.remove();
      shown = null;
    } else {
      shown = make("p", "passage", "…");
      article.append(shown);
      shown.textContent = await textOf(passage, fetch);
    }
    button.setAttribute("aria-expanded", String(shown !== null));
  });
  return button;
}

async function textOf(passage, fetch) {
  try {
    const result = await request("tools/call", { name: fetch, arguments: { id: passage } });
    return result.structuredContent?.text ?? result.content?.[0]?.text ?? "";
  } catch (error) {
    return `The passage cannot be shown: ${error.message}`;
  }
}

new ResizeObserver(() => {
  const { width, height } = document.documentElement.getBoundingClientRect();
  notify("ui/notifications/size-changed", { width: Math.ceil(width), height: Math.ceil(height) });
}).observe(document.documentElement);

const opened = await request("ui/initialize", {
  protocolVersion: PROTOCOL,
  appInfo: { name: "gear-neo4j", version: "1" },
  appCapabilities: {},
});
dress(opened.hostContext);
notify("ui/notifications/initialized");
