/** Calls to the service: JSON in and out, a key if needed, and errors that say what to do. */

import { eventsOf } from "./events.js";
import { askForKey, storedKey } from "./key.js";
import { line } from "./text.js";

/** The error of a call; `code` comes from the service, or is "Gone" if it does not answer. */
export class CallError extends Error {
  /**
   * @param {string} code
   * @param {string} detail
   * @param {number} [status]
   */
  constructor(code, detail, status = 0) {
    super(detail);
    this.code = code;
    this.status = status;
  }
}

/**
 * @typedef {{method?: string, body?: unknown, form?: FormData, signal?: AbortSignal}} Request
 * A body is sent as JSON; with a body or a form, the default method is POST.
 */

/**
 * The JSON that a route returns.
 * @param {string} path
 * @param {Request} [options]
 * @returns {Promise<any>}
 * @throws {CallError}
 */
export async function call(path, options = {}) {
  const response = await send(path, options);
  try {
    return await response.json();
  } catch (error) {
    throw gone(error);
  }
}

/**
 * The events of a route that streams.
 * @param {string} path
 * @param {Request} options
 * @returns {AsyncGenerator<{name: string, data: any}>}
 * @throws {CallError}
 */
export async function* stream(path, options) {
  const response = await send(path, options);
  try {
    yield* eventsOf(response.body);
  } catch (error) {
    throw gone(error);
  }
}

async function send(path, options) {
  for (;;) {
    const response = await fetched(path, options);
    if (response.ok) return response;
    const problem = await response.json().catch(() => ({}));
    const detail = line(problem.detail || `the service answers with status ${response.status}`, 1_000);
    if (response.status !== 401 || !(await askForKey(detail, { signIn: problem.code === "SignIn" }))) {
      throw new CallError(problem.code ?? "Error", detail, response.status);
    }
  }
}

async function fetched(path, { method, body, form, signal }) {
  const headers = new Headers({ Accept: "application/json, text/event-stream" });
  if (storedKey()) headers.set("Authorization", `Bearer ${storedKey()}`);
  if (body !== undefined) headers.set("Content-Type", "application/json");
  const sent = form ?? (body === undefined ? undefined : JSON.stringify(body));
  try {
    return await fetch(path, { method: method ?? (sent === undefined ? "GET" : "POST"), headers, signal, body: sent });
  } catch (error) {
    throw gone(error);
  }
}

/** A network error; an abort by ourselves is returned unchanged. */
function gone(error) {
  if (error instanceof DOMException && error.name === "AbortError") return error;
  return new CallError("Gone", "The service does not answer. It may be restarting, or the connection is lost.");
}

/**
 * Whether an error means that the user stopped the call.
 * @param {unknown} error
 * @returns {boolean}
 */
export function isStopped(error) {
  return error instanceof DOMException && error.name === "AbortError";
}
