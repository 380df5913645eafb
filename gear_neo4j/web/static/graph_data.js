/** The graph in Explore: nodes, the facts between them, and a layout that keeps them apart. */

import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from "./d3-force.js";

export const MOST_NODES = 300;
const STILL = matchMedia("(prefers-reduced-motion: reduce)");
// Steps of the layout, if nothing may move.
const STEPS = 200;
const AT_ONCE = 80;

/** Nodes by id, and edges by the ids of their ends; each edge has the facts between its two nodes. */
export class GraphData {
  /** @param {() => void} onMove called whenever nodes have moved */
  constructor(onMove) {
    this.nodes = new Map();
    this.edges = new Map();
    this.predicate = "";
    this.onMove = onMove;
    this.links = forceLink().distance(150).strength(0.4);
    this.simulation = forceSimulation()
      .force("links", this.links)
      .force("apart", forceManyBody().strength(-900).distanceMax(900))
      .force("collide", forceCollide(48))
      .force("x", forceX().strength(0.03))
      .force("y", forceY().strength(0.08))
      .on("tick", onMove);
  }

  /**
   * Add an entity and its neighbours, those with most facts first, as long as there is room.
   * @param {any} record as `/api/entities/ID` returns it
   * @returns {number} how many neighbours had no room
   */
  add(record) {
    const center = this.#node(record.id, record.name);
    center.open = true;
    const known = record.neighbours.filter(({ id }) => this.nodes.has(id));
    const others = record.neighbours.filter(({ id }) => !this.nodes.has(id));
    const room = Math.max(0, MOST_NODES - this.nodes.size);
    for (const { id, name } of [...known, ...others.slice(0, room)]) this.#node(id, name, center);
    for (const fact of record.facts) this.#edge(fact);
    this.#start();
    return others.length - Math.min(room, others.length);
  }

  /** @param {string} id of a node that is to go, with its edges */
  remove(id) {
    this.nodes.delete(id);
    for (const [key, { source, target }] of this.edges)
      if (source.id === id || target.id === id) this.edges.delete(key);
    this.#start();
  }

  /**
   * Hold a node in its place, or let it go.
   * @param {any} node
   * @param {boolean} held
   */
  pin(node, held) {
    [node.fx, node.fy] = held ? [node.x, node.y] : [null, null];
    this.#start(0.2);
  }

  /**
   * Move a node, which then stays where it is.
   * @param {any} node
   * @param {number} x
   * @param {number} y
   */
  move(node, x, y) {
    Object.assign(node, { x, y, fx: x, fy: y });
    this.#start(0.1);
  }

  /** @returns {[string, number][]} each predicate and how many facts have it, most frequent first */
  predicates() {
    const counts = new Map();
    for (const { predicate } of this.facts()) counts.set(predicate, (counts.get(predicate) ?? 0) + 1);
    return [...counts].sort(([one, few], [other, many]) => many - few || one.localeCompare(other));
  }

  /** @returns {any[]} all facts */
  facts() {
    return [...this.edges.values()].flatMap(edge => edge.facts);
  }

  /** @returns {any[]} the edges with a fact of the chosen predicate */
  shownEdges() {
    return [...this.edges.values()].filter(
      edge => !this.predicate || edge.facts.some(fact => fact.predicate === this.predicate),
    );
  }

  /** @returns {Set<any>} the nodes that are open, or at an edge that is shown */
  shownNodes() {
    const ends = this.shownEdges().flatMap(({ source, target }) => [source, target]);
    return new Set([...[...this.nodes.values()].filter(node => node.open), ...ends]);
  }

  /** Let nothing move any more. */
  stop() {
    this.simulation.stop();
  }

  #node(id, name, near = { x: 0, y: 0 }) {
    if (!this.nodes.has(id)) {
      // Around its neighbour, in a spiral: nodes at one point would not come apart.
      const [turn, far] = [2.4 * this.nodes.size, this.nodes.size ? 60 : 0];
      const [x, y] = [near.x + far * Math.cos(turn), near.y + far * Math.sin(turn)];
      this.nodes.set(id, { id, name, x, y, fx: null, fy: null, open: false });
    }
    return this.nodes.get(id);
  }

  #edge(fact) {
    const [source, target] = [this.nodes.get(fact.head), this.nodes.get(fact.tail)];
    if (!source || !target || source === target) return;
    const key = `${fact.head} ${fact.tail}`;
    if (!this.edges.has(key)) this.edges.set(key, { source, target, facts: [] });
    const { facts } = this.edges.get(key);
    if (!facts.some(({ id }) => id === fact.id)) facts.push(fact);
  }

  #start(alpha = 1) {
    this.simulation.nodes([...this.nodes.values()]);
    this.links.links([...this.edges.values()]);
    this.simulation.alpha(alpha).stop();
    // Most of the way at once: only the end of it is worth watching.
    this.simulation.tick(STILL.matches ? STEPS : Math.round(AT_ONCE * alpha));
    this.onMove();
    if (!STILL.matches) this.simulation.restart();
  }
}
