// A map to paint on, computed by the kernels of fieldcraft as WebAssembly.

const SIZE = 256;
const CELLS = SIZE * SIZE;
const MOST_SOURCES = 64;
const MOST_AGENTS = 1000;
const MOST_REACH = 100;
const CELLS_PER_SECOND = 30;

const element = (id) => document.getElementById(id);
const chosen = (name) => document.querySelector(`input[name=${name}]:checked`).value;

// The module is part of the page, because a page that is opened as a file may fetch nothing.
const kernels = Uint8Array.from(atob(element("kernels").textContent), (c) => c.charCodeAt(0));
const wasm = (await WebAssembly.instantiate(kernels, {})).instance.exports;
wasm._initialize?.();

// An array in the memory of the kernels: its address, and a view that stays valid when that grows.
class Shared {
  constructor(kind, length) {
    this.kind = kind;
    this.length = length;
    this.address = wasm.malloc(length * kind.BYTES_PER_ELEMENT);
    if (this.address === 0) throw new Error("There is not enough memory for the map.");
    this.view.fill(0);
  }

  get view() {
    if (this.kept?.buffer !== wasm.memory.buffer)
      this.kept = new this.kind(wasm.memory.buffer, this.address, this.length);
    return this.kept;
  }
}

function run(name, ...given) {
  const status = wasm[`fieldcraft_${name}`](
    ...given.map((each) => (each instanceof Shared ? each.address : each)),
  );
  if (status !== 0) throw new Error(`${name} needs more memory than the browser gives.`);
}

const walls = new Shared(Uint8Array, CELLS);
const held = new Shared(Uint8Array, CELLS);
const spread = new Shared(Float32Array, CELLS);
const radial = new Shared(Float32Array, CELLS);
const distances = new Shared(Float32Array, CELLS);
const places = new Shared(Int32Array, MOST_SOURCES);
const strengths = new Shared(Float64Array, MOST_SOURCES);
const weights = new Shared(Float64Array, (2 * MOST_REACH + 1) ** 2);
const agentCells = new Shared(Int32Array, MOST_AGENTS);
const agentNext = new Shared(Int32Array, MOST_AGENTS);

let sources = [];
let progress = 0; // of the agents' present step, in [0, 1]
let random = 1;
let isChanged = true;
let areWallsNew = true; // since their outlines were drawn

// Numbers in [0, 1) that are the same in every visit (mulberry32).
function chance() {
  random = (random + 0x6d2b79f5) | 0;
  let mixed = Math.imul(random ^ (random >>> 15), 1 | random);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
}

function reset() {
  random = 1;
  areWallsNew = true;
  walls.view.fill(0);
  spread.view.fill(0);
  for (let row = 0; row < SIZE; row++)
    for (let column = 0; column < SIZE; column++) {
      const [x, y] = [column % 64, row % 64];
      const isRoom = (x < 2 || y < 2) && !(x > 26 && x < 38) && !(y > 26 && y < 38);
      walls.view[row * SIZE + column] = isRoom ? 1 : 0;
    }
  sources = [50 * SIZE + 40, 200 * SIZE + 96, 110 * SIZE + 210].map((cell) => ({ cell }));
  placeAgents();
  isChanged = true;
  compute(400); // the first picture shows a settled map
}

function freeCell() {
  for (let tries = 0; tries < 1000; tries++) {
    const cell = Math.floor(chance() * CELLS);
    if (!walls.view[cell]) return cell;
  }
  return 0;
}

function placeAgents() {
  for (let i = 0; i < MOST_AGENTS; i++) agentCells.view[i] = agentNext.view[i] = freeCell();
}

const number = (id) => Number(element(id).value);

function writeSources() {
  held.view.fill(0);
  sources.forEach(({ cell }, i) => {
    places.view[i] = cell;
    strengths.view[i] = 1;
    held.view[cell] = 1;
    spread.view[cell] = 1;
  });
}

// Weights that fall off straight to 0 at a radius; how many rows and columns they have.
function writeWeights(view, radius) {
  const side = 2 * radius + 1;
  for (let y = -radius; y <= radius; y++)
    for (let x = -radius; x <= radius; x++)
      view[(y + radius) * side + x + radius] = Math.max(0, 1 - Math.sqrt(x * x + y * y) / radius);
  return side;
}

function compute(steps) {
  const layer = chosen("layer");
  if (isChanged) {
    writeSources();
    run("distance_map", SIZE, SIZE, distances, walls, sources.length, places, 8, 1);
    const side = writeWeights(weights.view, number("radius"));
    run("radial", SIZE, SIZE, radial, walls, sources.length, places, strengths, side, weights);
    isChanged = false;
  }
  const decay = number("decay");
  const losses = [Math.exp(-decay), Math.exp(-decay * Math.SQRT2)];
  run("spread", SIZE, SIZE, spread, walls, held, 8, ...losses, number("momentum"), 0.001, steps);
  return { spread, radial, distance: distances }[layer];
}

function moveAgents(seconds) {
  const count = number("agents");
  progress += seconds * CELLS_PER_SECOND;
  while (progress >= 1) {
    progress = Math.min(progress - 1, 3);
    for (let i = 0; i < count; i++) {
      const hasArrived = held.view[agentNext.view[i]] || walls.view[agentNext.view[i]];
      agentCells.view[i] = hasArrived ? freeCell() : agentNext.view[i];
    }
    run("next_cells", SIZE, SIZE, distances, walls, 8, count, agentCells, agentNext);
  }
}

// Colors from dark to light: those of the library's pictures (fc.view.ColorScale).
const STOPS = [
  [29, 35, 54], [61, 43, 96], [123, 47, 117], [176, 56, 113], [212, 80, 99],
  [236, 116, 86], [250, 160, 88], [255, 208, 126], [250, 242, 188],
];
const TABLE = new Uint32Array(256);
for (let i = 0; i < 256; i++) {
  const at = (i / 255) * (STOPS.length - 1);
  const [low, high] = [STOPS[Math.floor(at)], STOPS[Math.ceil(at)]];
  const [r, g, b] = low.map((from, k) => Math.round(from + (high[k] - from) * (at % 1)));
  TABLE[i] = (255 << 24) | (b << 16) | (g << 8) | r;
}
const WALL = 0xff120e0d; // walls and their outlines as in the library's pictures
const WALL_EDGE = "#60697c";
const NO_WAY = 0xff000000 | 0x2b2723;

const field = element("field").getContext("2d", { alpha: false });
const outlines = element("outlines").getContext("2d");
const over = element("over").getContext("2d");
const image = field.createImageData(SIZE, SIZE);
const pixels = new Uint32Array(image.data.buffer);

// Draw the sides that walls share with open cells.
function drawOutlines(shut) {
  const canvas = outlines.canvas;
  outlines.setTransform(1, 0, 0, 1, 0, 0);
  outlines.clearRect(0, 0, canvas.width, canvas.height);
  const zoom = canvas.width / SIZE;
  outlines.scale(zoom, zoom);
  outlines.lineWidth = 1.2 / zoom;
  outlines.strokeStyle = WALL_EDGE;
  outlines.beginPath();
  for (let row = 0; row < SIZE; row++)
    for (let column = 0; column < SIZE; column++) {
      const cell = row * SIZE + column;
      if (column && shut[cell] !== shut[cell - 1]) {
        outlines.moveTo(column, row);
        outlines.lineTo(column, row + 1);
      }
      if (row && shut[cell] !== shut[cell - SIZE]) {
        outlines.moveTo(column, row);
        outlines.lineTo(column + 1, row);
      }
    }
  outlines.stroke();
}

function draw(shown) {
  const values = shown.view;
  const shut = walls.view;
  let most = 1;
  if (shown !== spread) {
    most = 0;
    for (const value of values) if (value > most && value < Infinity) most = value;
  }
  // Square roots show the weak ends of influence; distances are shown as they are.
  const isRoot = shown === spread;
  const isDown = shown === distances;
  for (let i = 0; i < CELLS; i++) {
    const share = most > 0 ? values[i] / most : 0;
    if (shut[i]) pixels[i] = WALL;
    else if (share === Infinity) pixels[i] = NO_WAY;
    else {
      const shade = isRoot ? Math.sqrt(share) : isDown ? 1 - share : share;
      pixels[i] = TABLE[Math.min(255, (shade * 255) | 0)];
    }
  }
  field.putImageData(image, 0, 0);
  element("low").textContent = isDown ? most.toFixed(0) : "0";
  element("high").textContent = isDown ? "0" : most.toFixed(most < 10 ? 1 : 0);

  if (areWallsNew) drawOutlines(shut);
  areWallsNew = false;
  const canvas = over.canvas;
  const zoom = canvas.width / SIZE;
  over.clearRect(0, 0, canvas.width, canvas.height);
  over.fillStyle = "#fff";
  const [count, now, next] = [number("agents"), agentCells.view, agentNext.view];
  over.beginPath();
  for (let i = 0; i < count; i++) {
    const [from, to] = [now[i], next[i]];
    const x = (from % SIZE) * (1 - progress) + (to % SIZE) * progress + 0.5;
    const y = Math.floor(from / SIZE) * (1 - progress) + Math.floor(to / SIZE) * progress + 0.5;
    over.rect(x * zoom - 1.5, y * zoom - 1.5, 3, 3);
  }
  over.fill();
  over.lineWidth = 2;
  for (const { cell } of sources) {
    over.beginPath();
    over.arc(((cell % SIZE) + 0.5) * zoom, (Math.floor(cell / SIZE) + 0.5) * zoom, 7, 0, 7);
    over.fillStyle = "#e4572e";
    over.fill();
    over.strokeStyle = "#fff";
    over.stroke();
  }
}

let pointer = null; // the cell under the pointer
let dragged = null; // the source that is dragged
let isDown = false;

function cellAt(event) {
  const box = element("field").getBoundingClientRect();
  const column = Math.floor(((event.clientX - box.left) / box.width) * SIZE);
  const row = Math.floor(((event.clientY - box.top) / box.height) * SIZE);
  const isInside = row >= 0 && column >= 0 && row < SIZE && column < SIZE;
  return isInside ? row * SIZE + column : null;
}

const away = (a, b) =>
  Math.hypot((a % SIZE) - (b % SIZE), Math.floor(a / SIZE) - Math.floor(b / SIZE));

function paint(from, to, value) {
  const steps = Math.max(1, Math.ceil(away(from, to)));
  for (let step = 0; step <= steps; step++) {
    const share = step / steps;
    const column = Math.round((from % SIZE) * (1 - share) + (to % SIZE) * share);
    const row = Math.round(Math.floor(from / SIZE) * (1 - share) + Math.floor(to / SIZE) * share);
    for (let y = Math.max(0, row - 2); y < Math.min(SIZE, row + 3); y++)
      for (let x = Math.max(0, column - 2); x < Math.min(SIZE, column + 3); x++)
        if (!value || !sources.some(({ cell }) => cell === y * SIZE + x))
          walls.view[y * SIZE + x] = value;
  }
  areWallsNew = true;
  isChanged = true;
}

function use(from, to) {
  const tool = chosen("tool");
  if (tool === "wall") paint(from, to, 1);
  if (tool === "erase") {
    paint(from, to, 0);
    sources = sources.filter(({ cell }) => away(cell, to) > 5);
  }
  if (tool === "source" && dragged && !walls.view[to]) {
    dragged.cell = to;
    isChanged = true;
  }
}

element("field").addEventListener("pointerdown", (event) => {
  const cell = cellAt(event);
  if (cell === null) return;
  event.target.setPointerCapture(event.pointerId);
  isDown = true;
  dragged = null;
  if (chosen("tool") === "source") {
    dragged = sources.find((source) => away(source.cell, cell) < 6) ?? null;
    if (!dragged && !walls.view[cell] && sources.length < MOST_SOURCES) {
      dragged = { cell };
      sources.push(dragged);
      isChanged = true;
    }
  }
  use(cell, cell);
  pointer = cell;
});
element("field").addEventListener("pointermove", (event) => {
  const cell = cellAt(event);
  if (isDown && cell !== null) use(pointer ?? cell, cell);
  pointer = cell;
});
for (const kind of ["pointerup", "pointercancel"])
  element("field").addEventListener(kind, () => (isDown = false));
element("field").addEventListener("pointerleave", () => (pointer = null));
element("clear").addEventListener("click", () => {
  walls.view.fill(0);
  areWallsNew = true;
  isChanged = true;
});
element("reset").addEventListener("click", reset);
element("radius").addEventListener("input", () => (isChanged = true));

function report(shown) {
  for (const id of ["decay", "momentum", "radius", "agents"])
    element(`${id}-value`).textContent = element(id).value;
  for (const input of document.querySelectorAll("input[data-layer]"))
    input.disabled = input.dataset.layer !== chosen("layer"); // it changes a layer that is not shown
  if (pointer === null) return;
  const [column, row] = [pointer % SIZE, Math.floor(pointer / SIZE)];
  const steps = distances.view[pointer];
  element("value").textContent = walls.view[pointer]
    ? `Column ${column}, row ${row}: a wall`
    : `Column ${column}, row ${row}: ${shown === distances ? "" : `${shown.view[pointer].toFixed(4)}, `}` +
      (steps === Infinity ? "no way to a source" : `${steps.toFixed(1)} cells to the nearest source`);
}

let before = performance.now();
const frames = [];

function frame(now) {
  const start = performance.now();
  try {
    // As many steps as at 60 frames a second, where the screen shows fewer.
    const steps = Math.max(1, Math.min(8, Math.round((now - before) * 0.06)));
    const shown = compute(steps);
    const worked = performance.now() - start;
    moveAgents(Math.min((now - before) / 1000, 0.1));
    draw(shown);
    report(shown);
    frames.push([now, worked]);
    while (frames[0][0] < now - 1000) frames.shift();
    const kernels = frames.reduce((sum, each) => sum + each[1], 0) / frames.length;
    element("speed").textContent =
      `${frames.length} frames a second; the layers take ${kernels.toFixed(2)} ms`;
  } catch (error) {
    element("error").textContent = `${error.message} Reload the page to begin again.`;
    return;
  }
  before = now;
  requestAnimationFrame(frame);
}

// The layers of examples/c/influence.c, digested: the same numbers as in Python and C.
function digests() {
  const [height, width, reach] = [40, 61, 7];
  const values = new Shared(Float32Array, height * width);
  const shut = new Shared(Uint8Array, height * width);
  const kept = new Shared(Uint8Array, height * width);
  const cells = new Shared(Int32Array, 2);
  const strong = new Shared(Float64Array, 2);
  const shares = new Shared(Float64Array, (2 * reach + 1) ** 2);
  for (let i = 0; i < height * width; i++) {
    const column = i % width;
    const isGap = Math.floor(i / width) === (column * 5) % height;
    shut.view[i] = column % 7 === 3 && !isGap ? 1 : 0;
  }
  cells.view.set([5 * width + 5, 30 * width + 40]);
  strong.view.set([4, 2.5]);
  cells.view.forEach((cell, i) => {
    values.view[cell] = strong.view[i];
    kept.view[cell] = 1;
  });
  const shape = [height, width];
  const losses = [Math.exp(-0.1), Math.exp(-0.1 * Math.SQRT2)];
  const found = {};
  run("spread", ...shape, values, shut, kept, 8, ...losses, 0.5, 0.001, 50);
  found.spread = digest(values);
  const side = writeWeights(shares.view, reach);
  run("radial", ...shape, values, shut, 2, cells, strong, side, shares);
  found.radial = digest(values);
  run("distance_map", ...shape, values, shut, 2, cells, 8, 1);
  found.distance = digest(values);
  for (const each of [values, shut, kept, cells, strong, shares]) wasm.free(each.address);
  return found;
}

// FNV-1a over the bytes of an array.
function digest(shared) {
  let sum = 14695981039346656037n;
  for (const byte of new Uint8Array(wasm.memory.buffer, shared.address, shared.view.byteLength))
    sum = BigInt.asUintN(64, (sum ^ BigInt(byte)) * 1099511628211n);
  return sum.toString(16).padStart(16, "0");
}

const stops = STOPS.map((color) => `rgb(${color})`).join(", ");
element("scale").style.background = `linear-gradient(to right, ${stops})`;
globalThis.fieldcraft = { digests };
reset();
requestAnimationFrame(frame);
