/** The graph in Explore as a picture: nodes can be opened, dragged, pinned and removed, also by keyboard. */

import { draw } from "./dom.js";
import { counted, line } from "./text.js";

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
// Its size before it is on the page, and the smallest zoom at which names can be read.
const SIZE = { width: 900, height: 480 };
const READABLE = 0.7;
// With more edges, only those of the current node are labelled.
const MOST_LABELS = 30;
const CLICK = 4;

/** Draws a graph, and says which node a person chooses. */
export class GraphView {
  /**
   * @param {import("./graph_data.js").GraphData} data
   * @param {{choose: (node: any) => void, open: (node: any) => void}} on
   */
  constructor(data, on) {
    this.data = data;
    this.on = on;
    this.current = null;
    this.drawn = new Map();
    this.zoom = 1;
    this.center = { x: 0, y: 0 };
    this.lines = draw("g", { "aria-hidden": "true" });
    this.edges = [];
    this.faces = draw("g");
    this.element = draw(
      "svg",
      { class: "graph", role: "group", "aria-label": "Graph. Arrow keys move, Enter opens a node, P pins it." },
      this.lines,
      this.faces,
    );
    this.element.addEventListener("pointerdown", event => this.#drag(event));
    this.element.addEventListener("keydown", event => this.#press(event));
  }

  /** Draw what is there now: after nodes came, went or were filtered. */
  redraw() {
    const shown = this.data.shownNodes();
    if (!shown.has(this.current)) this.current = [...shown][0] ?? null;
    this.drawn = new Map([...shown].map(node => [node, this.#face(node)]));
    this.edges = this.data.shownEdges().map(edge => ({ edge, parts: this.#line(edge) }));
    this.lines.replaceChildren(...this.edges.flatMap(({ parts }) => parts));
    this.faces.replaceChildren(...this.drawn.values());
    this.place();
  }

  /** Put everything where the layout has it. */
  place() {
    const size = this.#size();
    const [width, height] = [size.width / this.zoom, size.height / this.zoom];
    const { x, y } = this.center;
    this.element.setAttribute("viewBox", `${x - width / 2} ${y - height / 2} ${width} ${height}`);
    for (const [node, face] of this.drawn) face.setAttribute("transform", `translate(${node.x} ${node.y})`);
    for (const { edge, parts } of this.edges) {
      const { source, target } = edge;
      parts[0].setAttribute("d", arrow(source, target));
      // Nearer to the node with fewer edges: around the other one, labels would cover each other.
      const share = source.open ? 0.62 : 0.38;
      parts[1].setAttribute("x", String(source.x + share * (target.x - source.x)));
      parts[1].setAttribute("y", String(source.y + share * (target.y - source.y) - 4));
    }
  }

  /** @param {number} factor by which everything becomes larger */
  enlarge(factor) {
    this.zoom = Math.min(4, Math.max(0.1, this.zoom * factor));
    this.place();
  }

  /**
   * Show the whole graph.
   * @param {number} [least] the smallest zoom
   */
  fit(least = 0.1) {
    const nodes = [...this.drawn.keys()];
    if (!nodes.length) return;
    const [xs, ys] = [nodes.map(({ x }) => x), nodes.map(({ y }) => y)];
    const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    this.center = { x: (left + right) / 2, y: (top + bottom) / 2 };
    const { width, height } = this.#size();
    this.zoom = Math.max(least, Math.min(1.2, width / (right - left + 180), height / (bottom - top + 100)));
    this.place();
  }

  /** Show as much of the graph as is readable. */
  show() {
    this.fit(READABLE);
  }

  /** @param {any} node that becomes the current one */
  choose(node) {
    this.current = node;
    this.redraw();
    this.on.choose(node);
  }

  #face(node) {
    const isCurrent = node === this.current;
    const state = [node.open && "open", node.fx !== null && "pinned"].filter(Boolean);
    const facts = this.data.shownEdges().filter(({ source, target }) => source === node || target === node);
    const name = `${line(node.name, 120)}, ${counted(facts.length, "neighbour")}`;
    const face = draw(
      "g",
      {
        class: ["node", ...state, isCurrent && "current"].filter(Boolean).join(" "),
        role: "button",
        tabindex: isCurrent ? 0 : -1,
        "aria-label": [name, ...state].join(", "),
        "aria-pressed": String(isCurrent),
      },
      draw("circle", { r: node.open ? 15 : 11 }),
      draw("text", { y: node.open ? 30 : 26, "text-anchor": "middle" }, line(node.name, 28)),
    );
    Object.assign(face, { node });
    return face;
  }

  #line(edge) {
    const { source, target, facts } = edge;
    const ours = source === this.current || target === this.current;
    const more = facts.length > 1 ? ` +${facts.length - 1}` : "";
    const label = ours || this.data.shownEdges().length <= MOST_LABELS ? line(facts[0].predicate, 24) + more : "";
    const kind = ours ? "line on" : "line";
    return [draw("path", { class: kind }), draw("text", { class: "label", "text-anchor": "middle" }, label)];
  }

  #size() {
    const { width, height } = this.element.getBoundingClientRect();
    return width ? { width, height } : SIZE;
  }

  /** Drag a node, or, beside the nodes, the whole picture; without a movement it is a click. */
  #drag(event) {
    const node = event.target.closest(".node")?.node;
    const start = node ? { x: node.x, y: node.y } : { ...this.center };
    const scale = 1 / this.zoom;
    let moved = false;
    const move = next => {
      const [x, y] = [next.clientX - event.clientX, next.clientY - event.clientY];
      moved ||= Math.hypot(x, y) > CLICK;
      if (!moved) return;
      if (node) return this.data.move(node, start.x + x * scale, start.y + y * scale);
      this.center = { x: start.x - x * scale, y: start.y - y * scale };
      this.place();
    };
    const end = () => {
      this.element.removeEventListener("pointermove", move);
      if (node) this.choose(node);
    };
    this.element.setPointerCapture(event.pointerId);
    this.element.addEventListener("pointermove", move);
    for (const kind of ["pointerup", "pointercancel"]) this.element.addEventListener(kind, end, { once: true });
  }

  #press(event) {
    const node = event.target.closest?.(".node")?.node;
    if (!node) return;
    if (event.key in STEPS) this.#walk(node, STEPS[event.key]);
    else if (event.key === "Enter" || event.key === " ") this.on.open(node);
    else if (event.key === "p") {
      this.data.pin(node, node.fx === null);
      this.focus(node);
    } else return;
    event.preventDefault();
  }

  /** Move to the nearest node in a direction; the Tab key stops at only one node. */
  #walk(from, [right, down]) {
    const distance = node => {
      const [x, y] = [node.x - from.x, node.y - from.y];
      const ahead = x * right + y * down;
      return ahead > 1 ? ahead + 2 * Math.abs(x * down + y * right) : Infinity;
    };
    const [nearest] = [...this.drawn.keys()].sort((one, other) => distance(one) - distance(other));
    if (distance(nearest) < Infinity) this.focus(nearest);
  }

  /** @param {any} node that becomes the current one, and gets the keyboard */
  focus(node) {
    const { width, height } = this.#size();
    const far = Math.max(Math.abs(node.x - this.center.x) / width, Math.abs(node.y - this.center.y) / height);
    if (far * this.zoom > 0.45) this.center = { x: node.x, y: node.y };
    this.choose(node);
    this.drawn.get(node)?.focus();
  }
}

/** A line that ends before its target, with a head. */
function arrow(source, target) {
  const [x, y] = [target.x - source.x, target.y - source.y];
  const length = Math.hypot(x, y) || 1;
  const [right, down] = [x / length, y / length];
  const end = [target.x - 17 * right, target.y - 17 * down];
  const wing = side => `${end[0] - 8 * right + 4 * side * down} ${end[1] - 8 * down - 4 * side * right}`;
  return `M${source.x} ${source.y}L${end.join(" ")}M${wing(1)}L${end.join(" ")}L${wing(-1)}`;
}
