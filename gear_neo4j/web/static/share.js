/** Converts a question and its choices to an address, and back. */

/**
 * @typedef {object} Choices
 * @property {string} question
 * @property {"ask" | "search"} mode
 * @property {string} agent
 * @property {string} retriever empty for the agent's default
 * @property {number} k
 * @property {Record<string, unknown>} options only those that differ from the defaults
 * @property {string} collections names, separated by commas
 * @property {string} where a metadata filter
 */

const TEXTS = ["question", "mode", "agent", "retriever", "collections", "where"];

/**
 * The choices as parameters of an address, without empty ones.
 * @param {Choices} choices
 * @returns {Record<string, string>}
 */
export function addressed(choices) {
  const texts = TEXTS.filter(name => choices[name]).map(name => [name, choices[name]]);
  const options = Object.keys(choices.options).length ? [["options", JSON.stringify(choices.options)]] : [];
  return Object.fromEntries([...texts, ["k", String(choices.k)], ...options]);
}

/**
 * The choices in an address, without missing or invalid ones.
 * @param {URLSearchParams} parameters
 * @returns {Partial<Choices>}
 */
export function choicesIn(parameters) {
  const texts = TEXTS.filter(name => parameters.has(name)).map(name => [name, parameters.get(name)]);
  const k = countIn(parameters);
  return { ...Object.fromEntries(texts), ...(k ? { k } : {}), options: optionsIn(parameters.get("options")) };
}

/**
 * The number of passages in an address; undefined if it is missing or not a number.
 * @param {URLSearchParams} parameters
 * @returns {number | undefined}
 */
export function countIn(parameters) {
  return Number.parseInt(parameters.get("k") ?? "", 10) || undefined;
}

/**
 * The body of a request for an answer or a search.
 * @param {Choices} choices
 * @returns {Record<string, unknown>}
 */
export function bodyOf(choices) {
  const { question, k, options, agent, retriever } = choices;
  const collections = choices.collections
    .split(",")
    .map(name => name.trim())
    .filter(Boolean);
  const narrowed = {
    ...(collections.length ? { collections } : {}),
    ...(choices.where.trim() ? { where: choices.where.trim() } : {}),
  };
  if (choices.mode === "search") return { question, k, retriever: { name: retriever, ...options }, ...narrowed };
  const over = retriever ? { over: { name: retriever } } : {};
  return { question, k, agent: { name: agent, ...over, ...options }, ...narrowed };
}

function optionsIn(text) {
  try {
    const options = JSON.parse(text ?? "{}");
    return options && typeof options === "object" && !Array.isArray(options) ? options : {};
  } catch {
    return {};
  }
}
