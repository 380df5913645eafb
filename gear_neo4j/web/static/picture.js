/** Paths as a picture: the service computes the layout; the arrow keys move between boxes. */

import { draw, foreign, make } from "./dom.js";
import { line } from "./text.js";

const SMALLEST = 0.72;
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * The picture of a layout.
 * @param {any} layout as `/api/picture` returns it
 * @param {object} options
 * @param {string} options.label
 * @param {number} options.width the available width
 * @param {Map<string, unknown>} options.cited the passages cited by an answer
 * @param {(box: any) => void} options.choose
 * @returns {HTMLElement}
 */
export function pictureOf(layout, { label, width, cited, choose }) {
  const scale = Math.min(1, Math.max(SMALLEST, width / layout.width));
  const picture = draw("svg", {
    viewBox: `0 0 ${layout.width} ${layout.height}`,
    width: layout.width * scale,
    height: layout.height * scale,
    role: "group",
    "aria-label": label,
  });
  // The best path last, so that it is on top.
  const lines = [...layout.lines].sort((left, right) => right.paths[0] - left.paths[0]);
  const curves = lines.map(part => mark(curve(layout.boxes, part), part.paths));
  const boxes = layout.boxes.map((part, index) =>
    mark(boxOf(part, { first: index === 0, cited: cited.has(part.passage) }), part.paths),
  );
  picture.append(...curves.map(item => item.element), ...boxes.map(item => item.element));
  connect(picture, layout, boxes, [...curves, ...boxes], choose);
  return make("div", { class: "picture" }, picture);
}

function mark(element, paths) {
  if (paths[0] === 0) element.classList.add("best");
  return { element, paths };
}

function curve(boxes, { start, end }) {
  const [from, to] = [boxes[start], boxes[end]];
  const [x1, x2] = [from.x + from.width, to.x];
  const [y1, y2] = [from.y + from.height / 2, to.y + to.height / 2];
  const middle = (x1 + x2) / 2;
  return draw("path", { class: "line", d: `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}` });
}

function boxOf(box, { first, cited }) {
  const size = { x: box.x, y: box.y, width: box.width, height: box.height };
  const radius = { rank: 6, entity: 18, triple: 8 }[box.kind];
  return draw(
    "g",
    {
      class: `box ${box.kind}${cited ? " cited" : ""}`,
      role: "button",
      tabindex: first ? 0 : -1,
      "aria-label": nameOf(box),
    },
    draw("rect", { ...size, rx: radius }),
    draw("foreignObject", size, face(box)),
  );
}

function nameOf(box) {
  if (box.kind === "rank") return `Path ${box.paths[0] + 1}`;
  return box.kind === "entity" ? `Entity: ${line(box.name)}` : `Fact: ${line(box.triple, 400)}`;
}

function face(box) {
  if (box.kind === "rank") return make("div", { class: "face" }, String(box.paths[0] + 1));
  const arrow = box.kind === "triple" && make("span", { class: "arrow" }, box.backward ? "←" : "→");
  return make("div", { class: "face" }, arrow, foreign(line(box.name, 120), "span"));
}

function connect(picture, layout, boxes, all, choose) {
  const light = paths => {
    picture.classList.toggle("focus", paths !== null);
    for (const item of all)
      item.element.classList.toggle("on", paths !== null && item.paths.some(path => paths.includes(path)));
  };
  boxes.forEach(({ element, paths }, index) => {
    element.addEventListener("pointerenter", () => light(paths));
    element.addEventListener("pointerleave", () => light(null));
    element.addEventListener("focus", () => light(paths));
    element.addEventListener("blur", () => light(null));
    element.addEventListener("click", () => choose(layout.boxes[index]));
    element.addEventListener("keydown", event => {
      if (event.key === "Enter" || event.key === " ") choose(layout.boxes[index]);
      else if (event.key in STEPS) walk(layout.boxes, boxes, index, STEPS[event.key]);
      else return;
      event.preventDefault();
    });
  });
}

/** Move to the nearest box in a direction; the Tab key stops at only one box at a time. */
function walk(layout, boxes, index, [right, down]) {
  const here = layout[index];
  const distance = box => {
    const x = box.x + box.width / 2 - here.x - here.width / 2;
    const y = box.y + box.height / 2 - here.y - here.height / 2;
    const ahead = x * right + y * down;
    return ahead > 1 ? ahead + 3 * Math.abs(x * down + y * right) : Infinity;
  };
  const nearest = layout.reduce(
    (best, box, other) => (distance(box) < distance(layout[best] ?? here) ? other : best),
    -1,
  );
  if (nearest < 0) return;
  boxes[index].element.setAttribute("tabindex", "-1");
  boxes[nearest].element.setAttribute("tabindex", "0");
  boxes[nearest].element.focus();
}
