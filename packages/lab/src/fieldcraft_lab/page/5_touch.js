// Input on the map: mouse, touch and keyboard.
const TOOLS = [
  ["inspect", "\u25ce", "Inspect", "Point at a cell to see its sources; drag a source to move it; drag the map to pan; the wheel zooms, with Shift over a source it changes the strength (1)"],
  ["source", "\u25cf", "Source", "Click to add a source to the chosen layer (2)"],
  ["drop", "\u25be", "Deposit", "Click to deposit an amount on the chosen layer (3)"],
  ["wall", "\u25a0", "Wall", "Drag to paint walls (4)"],
  ["open", "\u25a1", "Open", "Drag to open walls (5)"],
  ["best", "\u25b2", "Best near", "Click to find the highest values of the top layer near there (6)"],
  ["worst", "\u25bc", "Lowest near", "Click to find the lowest values of the top layer near there (7)"],
];
const hasPast = () => !["program", "notebook"].includes(S.hello.kind);
const addressedSide = () => (isForked() ? { to: S.side } : {});
const undo = (count = 1) => { for (let i = 0; i < count; i++) send({ do: "undo", ...addressedSide() }); };
for (const begin of ["pointerdown", "keydown"]) document.addEventListener(begin, (event) => { if (!event.repeat) S.gesture++; }, true);
const fingers = new Map();
let drag = null;

function buildTools() {
  const [x0, y0, x1, y1] = S.hello.shape.extent, reach = Math.max(x1 - x0, y1 - y0);
  S.brush = +(reach / 80).toPrecision(2); S.radius = +(reach / 8).toPrecision(2);
  const canTouch = Object.keys(S.hello.layers).length > 0;
  const shown = TOOLS.filter(([name]) => canTouch || ["inspect", "best", "worst"].includes(name));
  const group = (name, ...children) => (children.length ? make("div", { class: "group", role: "group", "aria-label": name }, ...children) : "");
  const actions = S.hello.actions || [], groups = [...new Set(actions.map(([, , , group]) => group).filter(Boolean))];
  const choose = (group) => { // actions of a group are choices
    const choice = make("select", { "aria-label": group, title: `${group}: a choice for the actions of a player`, onchange: () => order({ do: "act", action: choice.value }, true) }, ...actions.filter((each) => each[3] === group).map(([name, , , , label]) => make("option", { value: name }, label)));
    return choice;
  };
  const act = ([name, text, needsPlace]) => make("button", { title: needsPlace ? `${text}: then click on the map` : text, "aria-pressed": "false", onclick: () => (needsPlace ? chooseTool(`act:${name}`) : order({ do: "act", action: name }, true)), ...(needsPlace ? { "data-tool": `act:${name}` } : {}) }, `${needsPlace ? "\u25ce " : ""}${name}`);
  const numbers = group("Numbers of the tool", make("div", { id: "targets", class: "targets", role: "group", "aria-label": "The layer to which the tool adds" }), number("Strength", "strength"), number("Brush", "brush"), number("Radius", "radius"));
  numbers.id = "numbers";
  $("tools").replaceChildren(
    group("Tools", ...shown.map(([name, icon, text, title]) => make("button", { title, "aria-pressed": String(S.tool === name), onclick: () => chooseTool(name), "data-tool": name }, `${icon} ${text}`))),
    numbers,
    group("Actions of a player", ...actions.filter((each) => !each[3]).map(act), ...groups.map(choose)),
    group("Edits and view",
      hasPast() ? make("button", { id: "undo", title: "Undo the last edit (Ctrl+Z)", onclick: () => undo() }, "\u21b6 Undo") : null,
      hasPast() ? make("button", { id: "redo", title: "Redo (Ctrl+Shift+Z)", onclick: () => send({ do: "redo", ...addressedSide() }) }, "\u21b7 Redo") : null,
      make("button", { title: "Show the whole map (0)", onclick: () => { fit(); sendShow(); redraw(); } }, "\u25a3 Fit"),
      S.hello.recipes ? make("button", { title: "Open another world", onclick: showStart }, "\u2630 Worlds") : null,
      make("button", { id: "do-help", title: "Keys, and what the parts of this page do (?)", onclick: showHelp }, "? Help")),
  );
  chooseTool(S.tool);
}
const MOST_TARGETS = 6;
function targetsOf(tool) { // the layers to which a tool can add
  const needed = { source: "sources", drop: "deposits" }[tool];
  return needed ? Object.entries(S.hello.layers).filter(([, can]) => can[needed]).map(([name]) => name) : [];
}
function paintTargets() { // which team or layer the tool adds to, beside the tool
  const box = $("targets"), names = targetsOf(S.tool);
  if (!box) return;
  box.hidden = !names.length;
  if (!names.length) return;
  if (!names.includes(S.layer)) { chooseLayer(names[0]); return; }
  if (names.length > MOST_TARGETS) {
    const choice = make("select", { "aria-label": "The layer to which the tool adds", onchange: () => chooseLayer(choice.value) }, ...names.map((name) => make("option", { selected: name === S.layer }, name)));
    box.replaceChildren(make("span", { class: "hint" }, "to"), choice);
    return;
  }
  const button = (name) => make("button", { "aria-pressed": String(name === S.layer), "data-target": name, onclick: () => chooseLayer(name) }, teamOf(name) ? dotOf(teamOf(name)[1]) : null, name);
  box.replaceChildren(make("span", { class: "hint" }, "to"), ...names.map(button));
}
function number(text, name) {
  const input = make("input", { type: "number", step: "any", value: S[name], style: "width:70px", oninput: () => { if (Number.isFinite(input.valueAsNumber)) S[name] = input.valueAsNumber; } });
  return make("label", { class: "slim", "data-for": name }, `${text} `, input);
}
function chooseTool(name) {
  S.tool = name;
  for (const button of document.querySelectorAll("button[data-tool]")) button.setAttribute("aria-pressed", String(button.dataset.tool === name));
  const needs = { source: ["strength"], drop: ["strength"], wall: ["brush"], open: ["brush"], best: ["radius"], worst: ["radius"] }[name] || [];
  for (const each of $("tools").querySelectorAll("label")) each.hidden = !needs.includes(each.dataset.for);
  paintTargets();
  if (needs.length && $("numbers")) $("numbers").scrollIntoView({ block: "nearest", inline: "nearest" }); // on a narrow page the row of tools is scrolled to them
  over.style.cursor = name === "inspect" ? "crosshair" : "cell";
  redraw();
}
function spot(event) {
  const box = over.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top, pane = paneAt(x);
  return { x, y, pane, world: toWorld(pane, x, y) };
}
function sourceAt(at, reach = 12) {
  let found = null, least = reach;
  for (const [layer, info] of sourcesOf(at.pane.side)) {
    for (const [source, x, y, strength, keyed] of info.sources || []) {
      const [sx, sy] = toScreen(at.pane, x, y), gap = Math.hypot(sx - at.x, sy - at.y);
      if (gap < least) { least = gap; found = { layer, source, strength, keyed, position: [x, y] }; }
    }
  }
  return found;
}
const queryProbe = (() => { // one query at a time, then the newest
  let waits = false, next = null;
  const go = () => {
    if (waits || !next) return;
    const question = next;
    next = null; waits = true;
    const onAnswer = (answer) => { waits = false; if (answer.probe) applyProbe(answer.probe, question); go(); };
    onAnswer.quiet = true;
    if (!send({ do: "probe", ...question }, onAnswer)) waits = false;
    setTimeout(() => { if (waits) { waits = false; go(); } }, 3000);
  };
  return (position, side) => {
    const view = shownViews()[0];
    if (!view) return;
    S.at = { position, side };
    next = { position, map: mixedViews(side).includes(view) && kindsOf("owner") ? "owner" : view.map, side };
    go();
  };
})();
const probeAgain = (() => { // the value under the probe changes with the maps, also while time is paused
  let timer = 0;
  const again = () => { timer = 0; if (S.at && !drag) queryProbe(S.at.position, S.at.side); };
  return () => { if (!timer) timer = setTimeout(again, 250); };
})();
const probeAt = later((at) => queryProbe(at.world, sideOfPane(at.pane.side)));
const move = (what, at) => order({ do: "move", layer: what.layer, source: what.source, position: at.world });
const moveSource = later(() => { if (drag && drag.kind === "move") move(drag.what, drag.at); });
function paintStroke(stroke) {
  while (stroke.length) order({ do: "paint", stroke: stroke.splice(0, 200), radius: S.brush, blocked: S.tool === "wall" }, true);
}
const paintWalls = later(() => { if (drag && drag.kind === "paint") paintStroke(drag.stroke); });

over.addEventListener("pointerdown", (event) => {
  if (!S.hello) return;
  over.setPointerCapture(event.pointerId);
  const at = spot(event);
  fingers.set(event.pointerId, at);
  if (fingers.size === 2) { drag = { kind: "pinch", gap: gapOfFingers(), zoom: S.camera.zoom }; return; }
  if (sideOfPane(at.pane.side) !== S.side && isForked()) chooseSide(sideOfPane(at.pane.side));
  if (S.tool.startsWith("act:")) { order({ do: "act", action: S.tool.slice(4), position: at.world }, true); return; }
  if (S.tool === "wall" || S.tool === "open") { drag = { kind: "paint", stroke: [at.world], last: at.world }; S.brushAt = at.world; paintWalls(); return; }
  if (S.tool === "source") { order({ do: "place", layer: S.layer, position: at.world, strength: S.strength }, true); return; }
  if (S.tool === "drop") { order({ do: "deposit", layer: S.layer, position: at.world, amount: S.strength }, true); return; }
  if (S.tool === "best" || S.tool === "worst") { queryBest(at); return; }
  if (S.tool === "ask") { ask(at.world, sideOfPane(at.pane.side)); return; }
  const what = sourceAt(at);
  S.selected = what;
  drag = what ? { kind: "move", what, at, from: at } : { kind: "pan", at, camera: { ...S.camera }, from: at };
  redraw();
});
over.addEventListener("pointermove", (event) => {
  if (!S.hello) return;
  const at = spot(event);
  if (fingers.has(event.pointerId)) fingers.set(event.pointerId, at);
  S.brushAt = at.world;
  if (S.tool !== "inspect") redraw();
  if (drag && drag.kind === "pinch") { S.camera.zoom = drag.zoom * (gapOfFingers() / Math.max(drag.gap, 1)); redraw(); return; }
  if (drag && drag.kind === "paint") { // interpolate the points of a fast stroke
    const [x, y] = drag.last || at.world, [dx, dy] = [at.world[0] - x, at.world[1] - y], parts = Math.min(Math.max(1, Math.ceil(Math.hypot(dx, dy) / Math.max(S.brush, 0.5))), 100);
    for (let i = 1; i <= parts; i++) drag.stroke.push([x + (dx * i) / parts, y + (dy * i) / parts]);
    drag.last = at.world; paintWalls(); return;
  }
  if (drag && drag.kind === "move") {
    drag.at = at; drag.moved = true;
    if (drag.what.keyed) { showBanner("A recording or the program moves this source. Add a source of your own instead."); drag = null; return; }
    moveSource(); return;
  }
  if (drag && drag.kind === "pan") {
    if (Math.hypot(at.x - drag.from.x, at.y - drag.from.y) > 4) drag.moved = true;
    if (drag.moved) {
      S.camera.x = drag.camera.x - (at.x - drag.from.x) / S.camera.zoom;
      S.camera.y = drag.camera.y - (flip() * (at.y - drag.from.y)) / S.camera.zoom;
      redraw(); return;
    }
  }
  if (event.pointerType === "mouse") { S.candidate = candidateAt(at); probeAt(at); }
});
function endDrag(event) {
  const was = drag;
  fingers.delete(event.pointerId);
  drag = null;
  if (!was || !S.hello || event.type === "pointercancel") return;
  // the last position counts, even if no frame was drawn since
  if (was.kind === "move" && was.moved) move(was.what, was.at);
  if (was.kind === "paint") paintStroke(was.stroke);
  if (was.kind === "pan" && was.moved) sendShow();
  if (was.kind === "pan" && !was.moved) { const at = spot(event); S.pinning = true; queryProbe(at.world, sideOfPane(at.pane.side)); }
  if (was.kind === "pinch") sendShow();
  redraw();
}
over.addEventListener("pointerup", endDrag);
over.addEventListener("pointercancel", endDrag);
over.addEventListener("pointerleave", () => { S.brushAt = null; redraw(); });
function gapOfFingers() { const [a, b] = [...fingers.values()]; return Math.hypot(a.x - b.x, a.y - b.y); }
over.addEventListener("wheel", (event) => {
  if (!S.hello) return;
  event.preventDefault();
  const at = spot(event), what = event.shiftKey ? sourceAt(at) : null, turn = -Math.sign(event.deltaY || event.deltaX);
  if (what && !what.keyed) { strengthen(what, turn); return; }
  zoomAt(at, 1.15 ** turn);
}, { passive: false });
function strengthen(what, turn) {
  const info = (S.sources[S.side] || {})[what.layer], row = info && info.sources.find(([id]) => id === what.source);
  if (!row) return;
  const grain = 10 ** Math.floor(Math.log10(Math.max(Math.abs(row[3]), 1e-3))) / 2;
  row[3] = +(row[3] + turn * grain).toPrecision(6);
  order({ do: "strengthen", layer: what.layer, source: what.source, strength: row[3] });
  redraw();
}
const showSoon = (() => { let timer = 0; return () => { clearTimeout(timer); timer = setTimeout(sendShow, 250); }; })();
function zoomAt(at, factor) {
  const [x, y] = at.world;
  S.camera.zoom *= factor;
  const moved = toWorld(at.pane, at.x, at.y);
  S.camera.x += x - moved[0]; S.camera.y += y - moved[1];
  showSoon(); redraw();
}
function removeSelected() {
  if (!S.selected) return;
  order({ do: "remove", layer: S.selected.layer, source: S.selected.source });
  S.selected = null; redraw();
}
function clearRemoved() {
  if (!S.selected) return;
  const info = (S.sources[S.side] || {})[S.selected.layer];
  if (!info || !(info.sources || []).some(([id]) => id === S.selected.source)) S.selected = null;
}
function queryBest(at) {
  const view = shownViews()[0];
  if (!view) return;
  send({ do: "best", position: at.world, map: view.map, radius: S.radius, lowest: S.tool === "worst", side: sideOfPane(at.pane.side) },
    (answer) => { if (answer.best) { S.best = answer.best; redraw(); } });
}
over.addEventListener("keydown", (event) => {
  if (!S.hello) return;
  const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  const pane = panes()[0], here = S.probe ? S.probe.position : [S.camera.x, S.camera.y];
  if (steps) {
    event.preventDefault();
    const grain = (S.hello.shape.cell_size || S.hello.shape.reach || 1) * (event.shiftKey ? 5 : 1);
    queryProbe([here[0] + steps[0] * grain, here[1] + flip() * steps[1] * grain], S.side);
  } else if (event.key === "Enter") {
    event.preventDefault();
    const [x, y] = toScreen(pane, here[0], here[1]), at = { x, y, pane, world: here };
    if (S.tool === "source") order({ do: "place", layer: S.layer, position: here, strength: S.strength }, true);
    else if (S.tool === "drop") order({ do: "deposit", layer: S.layer, position: here, amount: S.strength }, true);
    else if (S.tool === "wall" || S.tool === "open") order({ do: "paint", stroke: [here], radius: S.brush, blocked: S.tool === "wall" }, true);
    else if (S.tool === "best" || S.tool === "worst") queryBest(at);
    else if (S.tool === "ask") ask(here, S.side);
    else { S.pinning = true; queryProbe(here, S.side); }
  } else if (event.key === "+" || event.key === "-") {
    zoomAt({ x: pane.x + pane.width / 2, y: pane.height / 2, pane, world: [S.camera.x, S.camera.y] }, event.key === "+" ? 1.15 : 1 / 1.15);
  } else if (event.key === "s") { // chooses the next source, so that it can be changed without a mouse
    const all = sourcesOf(S.side).flatMap(([layer, info]) => (info.sources || []).map(([source, x, y, strength, keyed]) => ({ layer, source, strength, keyed, position: [x, y] })));
    const now = S.selected ? all.findIndex((each) => each.layer === S.selected.layer && each.source === S.selected.source) : -1;
    if (all.length) { S.selected = all[(now + 1) % all.length]; queryProbe(S.selected.position, S.side); }
    redraw();
  } else if (event.key === "Delete" || event.key === "Backspace") removeSelected();
  else if (event.key === "Escape") { S.pin = S.best = S.question = S.selected = null; $("question-answer").textContent = ""; paintWhy(); redraw(); }
  else if (event.key === "[" && S.selected) strengthen(S.selected, -1);
  else if (event.key === "]" && S.selected) strengthen(S.selected, 1);
});
document.addEventListener("keydown", (event) => {
  const key = event.key.toLowerCase(), isText = event.target.matches("input:not([type=range]):not([type=checkbox]), textarea");
  if ((event.ctrlKey || event.metaKey) && (key === "z" || key === "y") && S.hello && hasPast() && !isText) {
    event.preventDefault();
    if (key === "z" && !event.shiftKey) undo(); else send({ do: "redo", ...addressedSide() });
    return;
  }
  if (event.key === "?" && !isText && S.hello) { showHelp(); return; }
  if (document.querySelector("dialog[open]") || event.target.matches("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey || !S.hello) return;
  if (event.key === " " && event.target.tagName !== "BUTTON") { event.preventDefault(); $("play").click(); }
  else if (event.key === ".") $("step").click();
  else if (event.key === ",") $("back").click();
  else if (event.key === "0") { fit(); sendShow(); redraw(); }
  else if (event.key === "8") $("ask").click();
  else if (/^[1-7]$/.test(event.key) && TOOLS[event.key - 1]) { const button = $("tools").querySelector(`[data-tool=${TOOLS[event.key - 1][0]}]`); if (button) button.click(); }
});
