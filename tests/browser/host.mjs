/** A host of MCP Apps, by the extension's own library: it shows a page in a frame, and gives it the result of a tool. */

import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

window.calls = [];
window.sizes = [];

window.showApp = async (html, result, passages, theme) => {
  const frame = document.createElement("iframe");
  frame.title = "app";
  frame.setAttribute("sandbox", "allow-scripts");
  frame.style.width = "100%";
  document.body.append(frame);
  const bridge = new AppBridge(null, { name: "host", version: "1" }, { serverTools: {} }, { hostContext: { theme } });
  bridge.oncalltool = async ({ name, arguments: given }) => {
    window.calls.push([name, given]);
    const text = passages[given.id];
    if (text === undefined) throw new Error("there is no passage with that id");
    return { content: [{ type: "text", text }], structuredContent: { text } };
  };
  bridge.onsizechange = ({ height }) => {
    window.sizes.push(height);
    frame.style.height = `${height}px`;
  };
  const opened = new Promise(resolve => (bridge.oninitialized = resolve));
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = html;
  await opened;
  await bridge.sendToolInput({ arguments: {} });
  await bridge.sendToolResult(result);
};
