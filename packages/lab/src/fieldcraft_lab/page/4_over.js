// Drawings over the maps and marks: the probe and its sources, results of queries, overlays, the brush.
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
let isOverDirty = true;
const redrawMaps = () => { GL.isDirty = true; };
const redraw = () => { GL.isDirty = isOverDirty = true; for (const made of GL.marks) made.isOld = true; };

function tick() {
  requestAnimationFrame(tick);
  if (!GL.isDirty || !S.hello || !gl) return;
  GL.isDirty = false;
  fitCanvases();
  paintMaps();
  if (isOverDirty) { isOverDirty = false; paintOver(); }
  acknowledge();
}
const isBrush = () => S.brushAt && (S.tool === "wall" || S.tool === "open");
function paintOver() {
  ink.hidden = !(S.overlays.size || S.probe || S.pin || S.best || S.question || isBrush());
  if (ink.hidden) return;
  const ratio = window.devicePixelRatio || 1;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, over.clientWidth, over.clientHeight);
  for (const pane of panes()) {
    labels = [];
    pen.save();
    pen.beginPath(); pen.rect(pane.x, 0, pane.width, pane.height); pen.clip();
    for (const what of S.overlays) paintDrawing(pane, S.drawings[`${what}|${pane.side}`]);
    paintProbe(pane);
    if (S.best) paintBest(pane);
    if (S.question && S.question.side === sideOfPane(pane.side)) paintQuestion(pane);
    if (isBrush()) circle(pane, S.brushAt, Math.max(S.brush * S.camera.zoom, 3), css("--ink"), null);
    pen.restore();
  }
}
function circle(pane, place, radius, line, fill, width = 1.5) {
  const [x, y] = toScreen(pane, place[0], place[1]);
  pen.beginPath(); pen.arc(x, y, radius, 0, 7);
  if (fill) { pen.fillStyle = fill; pen.fill(); }
  if (line) { pen.strokeStyle = line; pen.lineWidth = width; pen.stroke(); }
}
function line(pane, points, color, width) {
  pen.beginPath();
  points.forEach(([x, y], i) => { const place = toScreen(pane, x, y); if (i) pen.lineTo(...place); else pen.moveTo(...place); });
  pen.strokeStyle = color; pen.lineWidth = width; pen.stroke();
}
let labels = []; // the boxes of labels; a label that would overlap another is left out
function label(pane, place, text) {
  const [x, y] = toScreen(pane, place[0], place[1]), box = [x + 8, y - 18, x + 8 + 6.5 * text.length, y - 2];
  if (labels.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) return;
  labels.push(box);
  pen.font = "12px system-ui, sans-serif"; pen.lineWidth = 3; pen.strokeStyle = "#0b0d10"; pen.fillStyle = "#ffffff";
  pen.strokeText(text, x + 8, y - 6); pen.fillText(text, x + 8, y - 6);
}
function cross(pane, place, size, color) {
  const [x, y] = toScreen(pane, place[0], place[1]);
  for (const [width, ink] of [[4, "#0b0d10"], [1.8, color]]) {
    pen.beginPath(); pen.moveTo(x - size, y); pen.lineTo(x + size, y); pen.moveTo(x, y - size); pen.lineTo(x, y + size);
    pen.lineWidth = width; pen.strokeStyle = ink; pen.stroke();
  }
}
function paintProbe(pane) {
  if (S.pin) { cross(pane, S.pin.position, 7, "#ffb35c"); label(pane, S.pin.position, `pinned ${nameOfValue(S.pin.map, S.pin.value)}`); }
  if (!S.probe) return;
  const lit = S.lit && S.showSources && sourcesOf(pane.side).filter(([layer]) => layer === S.lit.layer).flatMap(([, info]) => info.sources || []).find(([id]) => id === S.lit.source);
  if (lit) line(pane, [lit.slice(1, 3), S.probe.position], "#ffffff", 1.5);
  cross(pane, S.probe.position, 7, "#ffffff");
}
function paintBest(pane) {
  circle(pane, S.best.from, S.best.radius * S.camera.zoom, "#ffffff", null, 1);
  S.best.places.forEach((place, i) => { circle(pane, place, i ? 7 : 10, "#0b0d10", i ? "rgba(255,255,255,.55)" : "#7df09b", 2); label(pane, place, `${i + 1}: ${short(S.best.values[i])}`); });
}
function paintQuestion(pane) { // gray candidates were removed, brighter ones score higher
  const { places, scores, chosen, values, me } = S.question, left = scores.filter((score) => score !== null);
  const low = Math.min(...left), high = Math.max(...left);
  places.forEach((place, i) => {
    if (scores[i] === null) { circle(pane, place, 1.6, null, "#8a909c"); return; }
    const share = high > low ? (scores[i] - low) / (high - low) : 1;
    circle(pane, place, 3.2, "#0b0d10", `hsl(142 70% ${25 + 45 * share}%)`, 1);
  });
  chosen.forEach((place, i) => { circle(pane, place, 7, "#ffffff", "#4be08a", 2.5); label(pane, place, short(values[i])); });
  circle(pane, me, 5, "#0b0d10", "#ffffff");
}
function paintDrawing(pane, info) {
  if (!info || info.why) return;
  for (const points of info.lines || []) { line(pane, points, "rgba(0,0,0,.6)", 3); line(pane, points, "#ffffff", 1.2); }
  for (const [x0, y0, x1, y1] of info.arrows || []) {
    line(pane, [[x0, y0], [x1, y1]], "rgba(255,255,255,.75)", 1.2);
    circle(pane, [x1, y1], 2, null, "#ffffff");
  }
  (info.points || []).forEach((place, i) => { cross(pane, place, 5, "#7df09b"); label(pane, place, short(info.values[i])); });
  for (const each of info.regions || []) label(pane, each.center, `${short(each.area)} ${info.unit}, highest ${short(each.peak)}`);
}
function legendRow(view, side) { // a bar with the table of the map; a point where values go beyond an end
  const info = GL.textures.get(keyOf({ map: view.map, side, limits: limitsFor(view, side), region: regionNow() }));
  if (!info || info.why !== undefined) return null;
  const isDiff = side === "diff", kinds = isDiff ? undefined : kindsOf(view.map);
  if (kinds && kinds.length > MOST_BARS) return make("div", { class: "names" }, make("div", { class: "scale" }, make("span", {}, view.map)), ...kinds.map(([name, color]) => nameOf(name, color)));
  if (kinds) return make("div", { class: "scale" }, make("span", {}, view.map), ...kinds.flatMap(([name, color]) => [dotOf(color), make("span", {}, name)]));
  const rgb = rowsOf(tableFor(view, side, info)), count = rgb.length / 3, strip = make("canvas", { width: count, height: 1 }), paper = strip.getContext("2d"), image = paper.createImageData(count, 1);
  for (let i = 0; i < count; i++) image.data.set([rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2], 255], 4 * i);
  paper.putImageData(image, 0, 0);
  const end = (isBeyond, at, mark) => { const point = make("i", { class: isBeyond ? `beyond ${mark}` : "end" }); if (isBeyond) point.style.color = `rgb(${rgb.slice(3 * at, 3 * at + 3).join(",")})`; return point; };
  const peak = S.status && S.status.totals[sideOfPane(side)] && S.status.totals[sideOfPane(side)][view.map];
  const beyond = info.above || info.below ? make("span", { class: "more" }, peak ? `values reach ${short(peak[1])}` : "values go beyond") : null;
  return make("div", { class: "scale" }, make("span", {}, isDiff ? `${view.map}: A - B` : view.map), make("span", { class: "num" }, isDiff ? `B more ${short(info.low)}` : short(info.low)),
    make("span", { class: "bar-of-colors" }, end(info.below, 0, "left"), strip, end(info.above, count - 1, "right")), make("span", { class: "num" }, isDiff ? `${short(info.high)} A more` : short(info.high)), beyond);
}
const MOST_BARS = 4; // more teams than that are named beside each other: so many bars would cover the map
function namesOfTeams(views, side) { // one entry for each team, and the limits that all have; null for teams with limits of their own
  const infos = views.map((view) => GL.textures.get(keyOf({ map: view.map, side, limits: limitsFor(view, side), region: regionNow() })));
  if (infos.some((info) => !info || info.why !== undefined || info.low !== infos[0].low || info.high !== infos[0].high)) return null;
  const entries = views.map((view) => nameOf(view.map, teamOf(view.map)[1]));
  const limits = `each ${short(infos[0].low)} to ${short(infos[0].high)}`, totals = S.status && S.status.totals[sideOfPane(side)];
  const peaks = views.map((view) => totals && totals[view.map]).filter(Boolean).map((each) => each[1]);
  const beyond = infos.some((info) => info.above) ? make("span", { class: "more" }, peaks.length ? `values reach ${short(Math.max(...peaks))}` : "values go beyond") : null;
  return make("div", { class: "names" }, ...entries, make("div", { class: "scale" }, make("span", {}, limits), beyond));
}
function nameOf(name, color) { return make("div", { class: "scale" }, dotOf(color), make("span", {}, name)); }
function dotOf(color) { const dot = make("i", { class: "dot" }); dot.style.background = color; return dot; }
function paintLegend() {
  const box = $("legend"), side = sidesShown()[0], teams = mixedViews(side), top = shownViews().slice(0, 1), shown = teams.includes(top[0]) ? teams : top;
  box.hidden = !shown.length;
  if (!shown.length) return;
  const hidden = Object.entries(S.sources[sideOfPane(side)] || {}).map(([, each]) => (each.sources ? each.all - each.sources.length : 0)).reduce((a, b) => a + b, 0);
  const names = shown.length > MOST_BARS ? namesOfTeams(shown, side) : null;
  const rows = names ? [names] : shown.map((view) => legendRow(view, side)).filter(Boolean);
  if (!rows.length) return;
  if (S.overlays.has("fronts")) rows.push(make("div", { class: "scale" }, make("i", { class: "front" }), make("span", {}, "front line: both are equally strong")));
  if (hidden > 0) rows.push(make("div", { class: "scale" }, `${hidden.toLocaleString("en")} sources not drawn`));
  const key = rows.map((row) => row.outerHTML).join("") + shown.map((view) => view.table) + isLight.matches;
  if (box.dataset.info === key) return;
  box.dataset.info = key;
  box.replaceChildren(...rows);
  if (isFitted() && S.camera.room !== roomForNames()) { fit(); redraw(); }
}
