// The plot of a number over time, the list of edits, notes, help, and the list of worlds.
const PLOTTED = { sum: [0, "sum of all values"], peak: [1, "largest value"], covered: [2, "covered ground, %"] };
const plotMap = () => (S.layer && S.hello.maps.includes(S.layer) ? S.layer : S.hello.maps[0]);
function plotRows(side) {
  const [which] = PLOTTED[S.plotted], map = plotMap(), share = which === 2 ? 100 : 1;
  return [...S.history[side]].filter(([, totals]) => totals[map]).sort((a, b) => a[0] - b[0]).map(([moment, totals]) => [moment, share * totals[map][which]]);
}
function paintPlot() {
  const board = $("plot"), ink = board.getContext("2d"), ratio = window.devicePixelRatio || 1, [left, top, right, bottom] = [46, 6, 8, 18];
  board.width = board.clientWidth * ratio; board.height = board.clientHeight * ratio;
  ink.setTransform(ratio, 0, 0, ratio, 0, 0);
  const W = board.clientWidth - left - right, H = board.clientHeight - top - bottom, end = Math.max(S.status ? S.status.furthest : 1, 1), sides = isForked() ? ["a", "b"] : ["a"];
  const lines = sides.map((side) => [side, plotRows(side)]), values = lines.flatMap(([, rows]) => rows.map(([, value]) => value));
  const high = Math.max(...values, 0) || 1, low = Math.min(...values, 0), x = (moment) => left + (W * moment) / end, y = (value) => top + H * (1 - (value - low) / (high - low));
  ink.clearRect(0, 0, board.clientWidth, board.clientHeight);
  ink.font = "11px system-ui, sans-serif"; ink.fillStyle = css("--muted"); ink.strokeStyle = css("--line"); ink.lineWidth = 1; ink.textBaseline = "middle";
  for (const value of [low, (low + high) / 2, high]) { ink.beginPath(); ink.moveTo(left, y(value)); ink.lineTo(left + W, y(value)); ink.stroke(); ink.textAlign = "right"; ink.fillText(short(value), left - 4, y(value)); }
  for (const part of [0, 0.5, 1]) { ink.textAlign = ["left", "center", "right"][2 * part]; ink.fillText(`${short(part * end * S.hello.step)} s`, x(part * end), top + H + 11); }
  for (const [side, rows] of lines) {
    ink.beginPath(); ink.strokeStyle = side === "b" ? "#ffb35c" : "#6db6ff"; ink.lineWidth = 1.8; ink.setLineDash(side === "b" ? [5, 3] : []);
    rows.forEach(([moment, value], i) => { if (i) ink.lineTo(x(moment), y(value)); else ink.moveTo(x(moment), y(value)); });
    ink.stroke();
  }
  ink.setLineDash([]);
  const mark = (moment, color) => { ink.strokeStyle = color; ink.lineWidth = 1; ink.beginPath(); ink.moveTo(x(moment), top); ink.lineTo(x(moment), top + H); ink.stroke(); };
  if (S.status) mark(S.status.moment, css("--muted"));
  const at = S.plotAt === undefined || S.plotAt === null ? (S.status ? S.status.moment : 0) : Math.min(Math.max(((S.plotAt - left) / W) * end, 0), end);
  if (S.plotAt) mark(at, css("--ink"));
  const info = lines.map(([side, rows]) => { const near = rows.reduce((best, row) => (!best || Math.abs(row[0] - at) < Math.abs(best[0] - at) ? row : best), null); return near ? `${isForked() ? `${side.toUpperCase()} ` : ""}${short(near[1])}` : ""; });
  $("plot-text").textContent = `${plotMap() || ""} at ${seconds(Math.round(at))}: ${info.join(", ")}${isForked() ? " (B dashed)" : ""}`;
}
function buildPlot() {
  const choice = make("select", { "aria-label": "What is plotted over time", onchange: () => { S.plotted = choice.value; paintPlot(); } }, ...Object.entries(PLOTTED).map(([name, [, text]]) => make("option", { value: name, selected: name === S.plotted }, text)));
  $("plotted").replaceChildren(choice);
}
$("plot").addEventListener("pointermove", (event) => { S.plotAt = event.offsetX; paintPlot(); });
$("plot").addEventListener("pointerleave", () => { S.plotAt = null; paintPlot(); });

// Edits
const textOfEdit = (edit) => ({
  tune: () => `${edit.layer}: ${edit.name} to ${short(edit.value)}`, turn: () => `${edit.name} to ${short(edit.value)}`, act: () => edit.action,
  place: () => `${edit.layer}: a source of ${short(edit.strength)}`, move: () => `${edit.layer}: a source moved`, strengthen: () => `${edit.layer}: a source to ${short(edit.strength)}`, remove: () => `${edit.layer}: a source removed`,
  deposit: () => `${edit.layer}: ${short(edit.amount)} deposited`, paint: () => (edit.blocked ? "walls painted" : "walls opened"),
}[edit.do] || (() => edit.do))();
function paintEdits() {
  const edits = editsOf(S.side), undone = (S.changes.undone || {})[S.side] || 0;
  if ($("undo")) { $("undo").disabled = !edits.length; $("redo").disabled = !undone; }
  const branches = [...((S.changes.branches || {})[S.side] || [])].reverse();
  const back = (i) => (typeof branches[i] === "number" ? `, and brings back the future until ${seconds(branches[i])}` : "");
  const rows = [...edits].reverse().map((edit, i) => make("button", { class: "edit", title: i ? `Undoes this edit and the ${i} after it` : `Undoes this edit${back(0)}`, onclick: () => undo(i + 1) }, make("span", {}, `${textOfEdit(edit)}${back(i) ? ` (in place of the future until ${seconds(branches[i])})` : ""}`), make("span", { class: "num" }, seconds(edit.moment)), make("span", {}, "\u21b6")));
  $("edits").replaceChildren(...(rows.length ? rows : [make("p", { class: "hint" }, "No edits yet. Ctrl+Z undoes an edit.")]));
}
const isWaiting = () => Boolean(S.status && !S.status.playing && ["a", "b"].some((side) => editsOf(side).some((edit) => edit.moment === S.status.moment)));
const BRANCH_SECONDS = 8; // of the world, for which the note about a replaced future stays
function branchNow() { // the sentence about the future that the last edit replaced
  const edit = editsOf(S.side).at(-1), end = ((S.changes.branches || {})[S.side] || []).at(-1);
  if (!edit || typeof end !== "number" || !S.status) return "";
  const text = `A new future begins. Undo brings back the one until ${seconds(end)}.`;
  return S.noteClosed === text || (S.status.moment - edit.moment) * S.hello.step > BRANCH_SECONDS ? "" : text;
}
function paintNote() { // a state that a person must know, shown until it ends
  const box = $("note"), { stopped } = S.changes, end = S.hello.end, status = S.status;
  const isPast = status && end !== null && status.moment >= end && S.noteClosed !== "end";
  const branch = branchNow(), kind = stopped ? "stopped" : isWaiting() ? "waiting" : branch ? "branch" : isPast ? "end" : "", key = `${kind}|${stopped || ""}|${editsOf(S.side).length}|${branch}`;
  if (box.dataset.info === key) return;
  box.dataset.info = key; box.hidden = !kind; box.className = kind;
  redraw();
  if (kind === "stopped") box.replaceChildren(make("span", {}, `Time stopped: ${stopped}`), editsOf(S.side).length ? make("button", { onclick: () => undo() }, "Undo the last edit") : "");
  if (kind === "waiting") box.replaceChildren(make("span", {}, `Time is paused: influence is updated at the next step.${branch ? ` ${branch}` : ""}`), make("button", { onclick: () => $("step").click() }, "Step"), make("button", { onclick: () => $("play").click() }, "Play"));
  if (kind === "branch") box.replaceChildren(make("span", {}, branch), make("button", { onclick: () => undo() }, "Undo"), make("button", { "aria-label": "Close this note", onclick: () => { S.noteClosed = branch; paintNote(); } }, "\u00d7"));
  if (kind === "end") box.replaceChildren(make("span", {}, `The recipe ended at ${seconds(end)}. Time goes on.`), make("button", { "aria-label": "Close this note", onclick: () => { S.noteClosed = "end"; paintNote(); } }, "\u00d7"));
}
function applyChanges(changes) {
  S.changes = { ...S.changes, ...changes };
  if (!S.hello) return;
  $("unsaved").hidden = !S.changes.unsaved;
  if ($("undo-write")) $("undo-write").hidden = !S.changes.written;
  paintEdits(); paintNote();
  const wait = 600 - (performance.now() - tunedAt); // do not move a slider that is being dragged
  clearTimeout(S.controlTimer);
  const put = () => {
    const shown = S.controls[S.side], isChanged = JSON.stringify(shown) !== JSON.stringify(S.changes.controls[S.side]);
    S.controls = { ...S.changes.controls };
    if (isChanged) paintControls(); else S.controls[S.side] = shown; // the sliders on the page change these objects
  };
  if (wait > 0) S.controlTimer = setTimeout(put, wait); else put();
}
addEventListener("beforeunload", (event) => { if (S.changes.unsaved && !inNotebook) event.preventDefault(); });

// Help, and the list of worlds
const KEYS = [
  ["space", "play, pause"], [". and ,", "one step on, one step back"], ["Ctrl+Z, Ctrl+Shift+Z", "undo, redo"], ["1 to 8", "choose a tool; 8 asks the question"], ["0", "show the whole map"], ["+ and -", "zoom (on the map)"],
  ["arrows, Shift+arrows", "move the probe by a cell, by five"], ["Enter", "pin the probe, or do what the tool does there"], ["s", "choose the next source"], ["[ and ]", "change its strength"], ["Delete", "remove it"], ["Escape", "clear the pin, results and the selection"], ["?", "this help"],
];
const MOUSE = [["point", "show which sources contribute to the value"], ["click", "pin a cell, to compare others with it"], ["drag", "move a source, or the map"], ["wheel", "zoom"], ["Shift+wheel over a source", "change its strength"]];
function showHelp() {
  const table = (rows) => make("table", {}, make("tbody", {}, ...rows.map(([key, text]) => make("tr", {}, make("td", {}, make("kbd", {}, key)), make("td", {}, text)))));
  $("help").replaceChildren(make("h2", {}, "On the map"), table(MOUSE), make("h2", {}, "Keys"), table(KEYS),
    make("p", {}, "Parameters change the chosen layer while it runs. Fork copies the world: two sides with parameters of their own, side by side or as a difference. Save writes your changes to a file."),
    make("form", { method: "dialog" }, make("button", {}, "Close")));
  if (!$("help").open) $("help").showModal();
}
const CODE = `import fieldcraft as fc\n\nimap = fc.InfluenceMap(fc.Grid(walls=my_array))  # True is a wall\nimap.add_layer("threat", fc.Spread(decay=0.2))\nfc.lab.serve(imap)`;
function showStart() {
  const go = (world) => () => { if (!S.changes.unsaved || confirm("The changes of this run are not saved. Open another world?")) send({ do: "open", world }); };
  const list = (title, text, names) => make("section", {}, make("h2", {}, title), make("p", { class: "hint" }, text), ...names.map((name) => make("button", { onclick: go(name) }, name.replace(/_/g, " "))));
  $("start").replaceChildren(make("h1", {}, "Choose a world"), make("div", { class: "doors" },
    list("A recipe", "A map, layers and sources from a text file.", S.hello.recipes), list("A game", S.hello.games.length ? "The fields that players of the game read." : "Install fieldcraft-worlds for games.", S.hello.games),
    make("section", {}, make("h2", {}, "My own array"), make("p", { class: "hint" }, "Run this, or pass a saved map or recipe: fieldcraft lab FILE"), make("pre", {}, CODE), make("button", { onclick: () => navigator.clipboard.writeText(CODE) }, "Copy"))),
    make("form", { method: "dialog" }, make("button", {}, `Stay with ${S.hello.title || "this map"}`)));
  if (!$("start").open) $("start").showModal();
}
