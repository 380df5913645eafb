/** A form of the options of a retriever or an agent, made from the JSON Schema of its recipe. */

import { make } from "./dom.js";

/**
 * @typedef {{element: HTMLElement, value: () => Record<string, unknown>}} OptionsForm
 */

/** Set elsewhere on the page. */
const ELSEWHERE = new Set(["name", "over"]);

/**
 * The form of a schema; its value has only what differs from the defaults.
 * @param {any} schema
 * @param {{prefix: string, preset?: Record<string, any>, root?: any}} settings `prefix` makes ids unique
 * @returns {OptionsForm}
 */
export function optionsForm(schema, { prefix, preset = {}, root = schema }) {
  const fields = Object.entries(schema.properties ?? {})
    .filter(([name]) => !ELSEWHERE.has(name))
    .map(([name, property]) => fieldOf(name, property, { prefix, root, preset: preset?.[name] }))
    .filter(field => field !== null);
  return {
    element: make("div", { class: "options" }, ...fields.map(field => field.element)),
    value: () =>
      Object.fromEntries(fields.map(field => [field.name, field.value()]).filter(([, value]) => value !== undefined)),
  };
}

function fieldOf(name, property, { prefix, root, preset }) {
  const kinds = (property.anyOf ?? [property]).map(kind => resolved(kind, root));
  const id = `${prefix}-${name}`;
  const common = { name, id, property, preset };
  const choices = kinds.find(kind => kind.enum);
  if (choices) return choice(common, choices.enum);
  const number = kinds.find(kind => kind.type === "integer" || kind.type === "number");
  if (number) return amount(common, number);
  if (kinds.some(kind => kind.type === "boolean")) return tick(common);
  const group = kinds.find(kind => kind.type === "object" && Object.keys(kind.properties ?? {}).length);
  return group ? nested(common, group, root) : null;
}

function resolved(kind, root) {
  return kind.$ref ? root.$defs[kind.$ref.split("/").pop()] : kind;
}

function choice({ name, id, property, preset }, values) {
  const chosen = preset ?? property.default;
  const options = values.map(value => make("option", { value, selected: value === chosen }, String(value)));
  const select = /** @type {HTMLSelectElement} */ (make("select", { id, ...described(id, property) }, ...options));
  return {
    name,
    element: labelled(id, name, property, select),
    value: () => (select.value === String(property.default) ? undefined : select.value),
  };
}

function amount({ name, id, property, preset }, kind) {
  const bounds = { min: kind.minimum, max: kind.maximum, step: kind.type === "integer" ? 1 : "any" };
  const input = /** @type {HTMLInputElement} */ (
    make("input", {
      id,
      type: "number",
      inputmode: kind.type === "integer" ? "numeric" : "decimal",
      value: typeof preset === "number" ? preset : (property.default ?? ""),
      ...bounds,
      ...described(id, property),
    })
  );
  return {
    name,
    element: labelled(id, name, property, input),
    value: () => (["", String(property.default)].includes(input.value) ? undefined : Number(input.value)),
  };
}

function tick({ name, id, property, preset }) {
  const checked = preset ?? property.default;
  const input = /** @type {HTMLInputElement} */ (
    make("input", { id, type: "checkbox", checked, ...described(id, property) })
  );
  return {
    name,
    element: make(
      "div",
      { class: "field tick" },
      make("div", {}, input, make("label", { for: id }, words(name))),
      help(id, property),
    ),
    value: () => (input.checked === property.default ? undefined : input.checked),
  };
}

function nested({ name, id, property, preset }, group, root) {
  const form = optionsForm(group, { prefix: id, preset, root });
  return {
    name,
    element: make("fieldset", {}, make("legend", {}, words(name)), form.element),
    value: () => {
      const changed = form.value();
      return Object.keys(changed).length ? changed : undefined;
    },
  };
}

function labelled(id, name, property, control) {
  return make("div", { class: "field" }, make("label", { for: id }, words(name)), control, help(id, property));
}

function described(id, property) {
  return property.description ? { "aria-describedby": `${id}-help` } : {};
}

function help(id, property) {
  return property.description && make("p", { id: `${id}-help`, class: "note" }, property.description);
}

function words(name) {
  const text = name.replaceAll("_", " ");
  return text[0].toUpperCase() + text.slice(1);
}
