// The state of the page: data from the server, what is shown, and what is selected.
const S = {
  hello: null, status: null, sources: {}, controls: {}, drawings: {}, views: [], side: "a", pane: "a", tool: "inspect", layer: null, solo: null,
  probe: null, pin: null, at: null, best: null, question: null, lit: null, strength: 5, brush: 1.5, radius: 12, overlays: new Set(), history: { a: new Map(), b: new Map() },
  showSources: true, camera: { x: 0, y: 0, zoom: 1, fitted: false }, geometry: 0, selected: null,
  changes: { controls: {}, edits: {}, undone: {}, unsaved: false, written: 0, stopped: null }, gesture: 0, lastGesture: -1, plotted: "sum", filmSize: 640, isShared: true,
};
const $ = (id) => document.getElementById(id);
const make = (tag, options = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(options)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name === "class") made.className = value;
    else if (name in made && name !== "list") made[name] = value;
    else made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
};
const short = (value) => {
  if (value === null || value === undefined) return "none";
  if (Array.isArray(value)) return value.map(short).join(", ");
  if (typeof value !== "number") return String(value);
  const size = Math.abs(value);
  return size === 0 ? "0" : size >= 1000 || size < 0.001 ? value.toExponential(1) : String(+value.toPrecision(size < 1 ? 2 : 3));
};
const later = (act) => { // at most once a frame
  let waits = false, last;
  return (...given) => { last = given; if (!waits) { waits = true; requestAnimationFrame(() => { waits = false; act(...last); }); } };
};
const isForked = () => Boolean(S.hello && S.hello.sides.b);
const sidesShown = () => (!isForked() ? ["a"] : S.pane === "a|b" ? ["a", "b"] : [S.pane]);
const limitsFor = (view, side) => (side === "diff" ? null : view.limits); // a difference has limits of its own, the same on both sides of 0
const editsOf = (side) => S.changes.edits[side] || [];
const seconds = (moment) => `${(moment * S.hello.step).toFixed(2)} s`;
const sideOfPane = (pane) => (pane === "diff" ? S.side : pane);
