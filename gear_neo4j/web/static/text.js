/** Makes text from others safe to show: without control characters, and of limited length. */

// The characters that gear_neo4j/text/printable.py removes: control characters other than tab and newline, and
// bidirectional controls.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * A text without control characters and bidirectional controls, cut if it is long.
 * @param {unknown} text
 * @param {number} [most] the maximum number of characters
 * @returns {string}
 */
export function shown(text, most = 20_000) {
  const whole = String(text ?? "");
  const kept = whole.length > most ? `${whole.slice(0, most).trimEnd()}…` : whole;
  return kept.replace(CONTROLS, "");
}

/**
 * A short text on one line, such as a title.
 * @param {unknown} text
 * @param {number} [most]
 * @returns {string}
 */
export function line(text, most = 200) {
  return shown(
    String(text ?? "")
      .slice(0, 4 * most)
      .replace(/\s+/g, " ")
      .trim(),
    most,
  );
}

/**
 * A text in parts: those within the spans, and those around them.
 * @param {string} text
 * @param {{start: number, end: number}[]} spans in order, by code points
 * @returns {{text: string, within: boolean}[]}
 */
export function divided(text, spans) {
  const letters = Array.from(String(text ?? ""));
  const parts = [];
  let end = 0;
  for (const span of spans) {
    parts.push({ text: letters.slice(end, span.start).join(""), within: false });
    parts.push({ text: letters.slice(span.start, span.end).join(""), within: true });
    end = span.end;
  }
  parts.push({ text: letters.slice(end).join(""), within: false });
  return parts.filter(part => part.text);
}

/**
 * A number with its noun: "1 fact", "2 facts".
 * @param {number} count
 * @param {string} noun
 * @param {string} [plural]
 * @returns {string}
 */
export function counted(count, noun, plural = `${noun}s`) {
  return `${count.toLocaleString("en")} ${count === 1 ? noun : plural}`;
}

/**
 * A fact on one line, as the command line shows it.
 * @param {{subject: string, predicate: string, object: string}} fact
 * @returns {string}
 */
export function factText(fact) {
  return `${line(fact.subject)} —${line(fact.predicate)}→ ${line(fact.object)}`;
}
