/** Server-sent events from the body of a response: EventSource cannot send a body or a key. */

/**
 * The events of a stream, each with its name and its data as JSON.
 * @param {ReadableStream<Uint8Array>} body
 * @returns {AsyncGenerator<{name: string, data: any}>}
 */
export async function* eventsOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split(/\r?\n\r?\n/);
      rest = blocks.pop() ?? "";
      yield* blocks.map(eventOf).filter(event => event !== null);
    }
  } finally {
    // Leaving the loop early closes the connection, and the service ends the run.
    reader.cancel().catch(() => {});
  }
}

/**
 * The event in a block of a stream; null for a keep-alive comment.
 * @param {string} block
 * @returns {{name: string, data: any} | null}
 */
function eventOf(block) {
  let name = "message";
  const data = [];
  for (const row of block.split(/\r?\n/)) {
    const colon = row.indexOf(":");
    const field = row.slice(0, colon);
    const value = row.slice(colon + 1).replace(/^ /, "");
    if (field === "event") name = value;
    else if (field === "data") data.push(value);
  }
  return data.length ? { name, data: JSON.parse(data.join("\n")) } : null;
}
