/** Text of others, made fit to be shown: without characters that act, and no longer than a page can bear. */

// The characters that gear_neo4j/printable.py removes: controls but tab and newline, and bidirectional controls.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/**
 * A text without control characters and bidirectional controls, cut where it is long.
 * @param {unknown} text
 * @param {number} [most] characters that are kept
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
