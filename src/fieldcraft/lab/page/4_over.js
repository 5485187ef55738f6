// What is drawn over the maps: sources, the probe and the sources that make its value, answers, drawings, the brush.
const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const redraw = () => { GL.isDirty = true; };

function tick() {
  requestAnimationFrame(tick);
  if (!GL.isDirty || !S.hello || !gl) return;
  GL.isDirty = false;
  paintMaps();
  paintOver();
  drawn();
}
function paintOver() {
  const ratio = window.devicePixelRatio || 1;
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, over.clientWidth, over.clientHeight);
  for (const pane of panes()) {
    pen.save();
    pen.beginPath(); pen.rect(pane.x, 0, pane.width, pane.height); pen.clip();
    for (const what of S.overlays) paintDrawing(pane, S.drawings[`${what}|${pane.side}`]);
    if (S.showSources) paintSources(pane);
    paintProbe(pane);
    if (S.best) paintBest(pane);
    if (S.brushAt && (S.tool === "wall" || S.tool === "open")) circle(pane, S.brushAt, Math.max(S.brush * S.camera.zoom, 3), css("--ink"), null);
    pen.restore();
  }
}
function circle(pane, place, radius, line, fill, width = 1.5) {
  const [x, y] = toScreen(pane, place[0], place[1]);
  pen.beginPath(); pen.arc(x, y, radius, 0, 7);
  if (fill) { pen.fillStyle = fill; pen.fill(); }
  if (line) { pen.strokeStyle = line; pen.lineWidth = width; pen.stroke(); }
}
function sourcesOf(side) {
  const all = S.sources[sideOfPane(side)] || {}, shown = new Set(shownViews().map((view) => view.map));
  return Object.entries(all).filter(([layer, told]) => told.marks || shown.has(layer) || layer === S.layer || !S.hello.maps.some((map) => shown.has(map)));
}
function paintSources(pane) {
  for (const [layer, told] of sourcesOf(pane.side)) {
    for (const mark of told.marks || []) paintMark(pane, mark);
    for (const [id, x, y, strength, keyed] of told.sources || []) {
      const isLit = S.lit && S.lit.layer === layer && S.lit.source === id, isChosen = S.selected && S.selected.layer === layer && S.selected.source === id;
      circle(pane, [x, y], isLit ? 9 : 5.5, isLit || isChosen ? "#ffffff" : "#0b0d10", keyed ? "#9aa0ac" : strength < 0 ? "#6fb7ff" : "#ffffff", isLit || isChosen ? 3 : 1.5);
      if (isLit && S.probe) line(pane, [[x, y], S.probe.position], "#ffffff", 1.5);
    }
  }
}
function paintMark(pane, [x, y, size, color, alpha]) {
  circle(pane, [x, y], Math.max((size * S.camera.zoom) / 2, 2), "#0b0d10", color, 0.7);
}
function line(pane, points, color, width) {
  pen.beginPath();
  points.forEach(([x, y], i) => { const place = toScreen(pane, x, y); if (i) pen.lineTo(...place); else pen.moveTo(...place); });
  pen.strokeStyle = color; pen.lineWidth = width; pen.stroke();
}
function label(pane, place, text) {
  const [x, y] = toScreen(pane, place[0], place[1]);
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
  if (S.pin) { cross(pane, S.pin.position, 7, "#ffb35c"); label(pane, S.pin.position, `pinned ${short(S.pin.value)}`); }
  if (S.probe) cross(pane, S.probe.position, 7, "#ffffff");
}
function paintBest(pane) {
  circle(pane, S.best.from, S.best.radius * S.camera.zoom, "#ffffff", null, 1);
  S.best.places.forEach((place, i) => { circle(pane, place, i ? 7 : 10, "#0b0d10", i ? "rgba(255,255,255,.55)" : "#7df09b", 2); label(pane, place, `${i + 1}: ${short(S.best.values[i])}`); });
}
function paintDrawing(pane, told) {
  if (!told || told.why) return;
  for (const points of told.lines || []) { line(pane, points, "rgba(0,0,0,.6)", 3); line(pane, points, "#ffffff", 1.2); }
  for (const [x0, y0, x1, y1] of told.arrows || []) {
    line(pane, [[x0, y0], [x1, y1]], "rgba(255,255,255,.75)", 1.2);
    circle(pane, [x1, y1], 2, null, "#ffffff");
  }
  (told.points || []).forEach((place, i) => { cross(pane, place, 5, "#7df09b"); label(pane, place, short(told.values[i])); });
  for (const each of told.regions || []) { circle(pane, each.center, 4, "#0b0d10", "#7df09b"); label(pane, each.center, `${short(each.area)} ground, sum ${short(each.total)}`); }
}
function paintLegend() {
  const view = shownViews()[0], box = $("legend");
  box.hidden = !view;
  if (!view) return;
  const told = GL.textures.get(keyOf({ map: view.map, side: sidesShown()[0], limits: view.limits, region: regionNow() }));
  if (!told) return;
  const name = told.signed ? signedTable(view) : view.table, rgb = bytesOf(S.hello.tables[name] || S.hello.tables.sequential), count = rgb.length / 3;
  const asked = `${view.map}|${told.low}|${told.high}|${name}|${sidesShown()[0]}`;
  if (box.dataset.told === asked) return;
  box.dataset.told = asked;
  const strip = make("canvas", { width: count, height: 1 }), ink = strip.getContext("2d"), image = ink.createImageData(count, 1);
  for (let i = 0; i < count; i++) image.data.set([rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2], 255], 4 * i);
  ink.putImageData(image, 0, 0);
  const what = sidesShown()[0] === "diff" ? `${view.map}: A - B` : view.map;
  box.replaceChildren(make("span", {}, what), make("span", { class: "num" }, short(told.low)), strip, make("span", { class: "num" }, short(told.high)));
}
