// The panel: contributions to a value, parameters, layers, formulas, forks, saving.
const nameOfSource = (layer, bar) => (bar.name ? bar.name : `source ${bar.source % 2 ** 32}`) + (bar.strength === null ? ", gone" : ` at (${bar.position.slice(0, 2).map((v) => short(v)).join(", ")}), strength ${short(bar.strength)}`);

function applyProbe(probe, question) {
  S.probe = { ...probe, map: question.map, side: question.side };
  if (S.pinning) { S.pinning = false; S.pin = S.pin && S.pin.cell === probe.cell ? null : S.probe; }
  paintWhy(); redraw();
}
function sourceRows(layer, { bars, others }) { // a bar for each source of a layer
  const most = Math.max(...bars.map((bar) => Math.abs(bar.amount)), 1e-30);
  const rows = bars.map((bar) => {
    const lit = { layer, source: bar.source };
    const show = (on) => () => { S.lit = on ? lit : null; redraw(); };
    return make("button", { class: "bar", title: "Shows this source on the map", onmouseenter: show(true), onmouseleave: show(false), onfocus: show(true), onblur: show(false), onclick: () => { S.selected = { ...lit, strength: bar.strength }; redraw(); } },
      make("span", {}, nameOfSource(layer, bar)), meterOf(bar.amount, most, teamOf(layer)), make("output", {}, short(bar.amount)));
  });
  if (others > 0) rows.push(make("p", { class: "hint" }, `and ${others} more`));
  return rows;
}
function meterOf(amount, most, team) {
  const part = make("i", { class: amount < 0 ? "neg" : "", style: `width:${(100 * Math.abs(amount)) / most}%` });
  if (team) part.style.background = team[1];
  return make("span", { class: "meter" }, part);
}
function mapRows(probe) { // a bar for each map that an expression is made of, and below it those of its sources
  const most = Math.max(...probe.maps.map((map) => Math.abs(map.amount)), 1e-30);
  return probe.maps.flatMap((map) => [
    make("div", { class: "bar of-map" }, make("span", { class: "row" }, teamOf(map.name) ? dotOf(teamOf(map.name)[1]) : null, map.amount === map.value ? map.name : `${map.name}, ${short(map.value)} there`), meterOf(map.amount, most, teamOf(map.name)), make("output", {}, short(map.amount))),
    map.bars.length ? make("div", { class: "sources-of" }, ...sourceRows(map.name, map)) : null,
  ].filter(Boolean));
}
const nameOfValue = (map, value) => { const kinds = kindsOf(map); return kinds ? (kinds[value] || ["none"])[0] : short(value); };
const tunableOf = (probe) => [probe.map, ...probe.maps.map((map) => map.name)].find((name) => (S.hello.layers[name] || {}).sources); // the layer that "What would change it?" tries
function paintWhy() {
  const probe = S.probe;
  if (!probe) return;
  const rows = S.question ? candidateRows() : [];
  const place = `${probe.wall ? "a wall: " : ""}${probe.where}`;
  rows.push(make("div", {}, make("span", { class: "big" }, nameOfValue(probe.map, probe.value)), ` ${probe.map}${isForked() ? ` on side ${probe.side.toUpperCase()}` : ""}`), make("p", { class: "hint" }, place));
  if (S.pin && S.pin.cell !== probe.cell && S.pin.map === probe.map && !kindsOf(probe.map)) rows.push(make("p", {}, `${short(S.pin.value)} at the pin; here it is ${short(probe.value - S.pin.value)} ${probe.value >= S.pin.value ? "more" : "less"}.`));
  if (probe.bars.length || probe.maps.length) {
    if (probe.maps.length) rows.push(...mapRows(probe)); else rows.push(...sourceRows(probe.map, probe));
    if (Math.abs(probe.remainder) > 1e-3 * Math.abs(probe.value)) rows.push(make("p", { class: "hint" }, `${short(probe.remainder)}: ${probe.remainder_is}`));
  } else if (probe.units) rows.push(...unitRows(probe));
  else if (probe.wall) rows.push(make("p", { class: "hint" }, "Walls have no influence. Open the wall, or point at an open cell."));
  else if (probe.why) rows.push(make("p", { class: "hint" }, probe.why));
  else if (!probe.value) rows.push(make("p", { class: "hint" }, "No source reaches here."));
  else if (probe.remainder_is) rows.push(make("p", { class: "hint" }, `${short(probe.remainder)}: ${probe.remainder_is}`));
  const others = Object.entries(probe.values).filter(([name]) => name !== probe.map);
  if (others.length) rows.push(make("details", {}, make("summary", {}, "Other maps here"), ...others.map(([name, value]) => make("div", { class: "row" }, make("span", { class: "name" }, name), make("span", { class: "num" }, nameOfValue(name, value))))));
  const tunable = probe.wall ? undefined : tunableOf(probe);
  if (tunable) rows.push(make("button", { id: "sensitivity", onclick: () => querySensitivity(tunable), title: "Tries each parameter on a copy of the world, and lists the value that this cell would get" }, tunable === probe.map ? "What would change it?" : `What would change ${tunable}?`));
  const box = $("why"), had = box.contains(document.activeElement) && document.activeElement.className === "bar";
  if (!had) box.replaceChildren(...rows);
  if (S.sensitivity && S.sensitivity.cell === probe.cell && S.sensitivity.map === tunable && !had) box.append(paintSensitivity());
}
function unitRows(probe) { // the units of a game, with their shares where the map is a sum of them
  const most = Math.max(...probe.units.map((unit) => Math.abs(unit.amount || 0)), 1e-30), isSum = probe.units.some((unit) => unit.amount !== null);
  const rows = probe.units.map((unit) => {
    const dot = make("i", { class: "dot" }), meter = make("i", { class: unit.amount < 0 ? "neg" : "", style: `width:${(100 * Math.abs(unit.amount || 0)) / most}%` });
    dot.style.background = unit.color;
    return make("div", { class: "bar" }, make("span", { class: "row" }, dot, `${short(unit.distance)} away, at (${unit.position.map((v) => short(v)).join(", ")})`), isSum ? make("span", { class: "meter" }, meter) : "", isSum ? make("output", {}, short(unit.amount)) : "");
  });
  const text = !rows.length ? "No unit contributes here." : isSum ? "The units that contribute, the largest share first:" : "This map is not a sum of units. The nearest units:";
  return [make("p", { class: "hint" }, text), ...rows];
}
function querySensitivity(map) {
  const { position, side, cell } = S.probe;
  $("sensitivity").disabled = true;
  send({ do: "sensitivity", position, map, side }, (answer) => { if (answer.sensitivity) { S.sensitivity = { ...answer.sensitivity, cell, map }; paintWhy(); } });
}
function paintSensitivity() {
  const rows = S.sensitivity.sensitivity.map((each) => make("tr", {}, make("td", {}, each.name), make("td", {}, `${short(each.from)} to ${short(each.to)}`), make("td", {}, `${short(S.sensitivity.now)} to ${short(each.value)}`),
    make("td", {}, make("button", { onclick: () => each.source === undefined ? order({ do: "tune", layer: S.sensitivity.map, name: each.name, value: each.to }) : order({ do: "strengthen", layer: S.sensitivity.map, source: each.source, strength: each.to }) }, "Apply"))));
  return make("div", {}, make("p", { class: "hint" }, S.sensitivity.sensitivity.length ? `${S.sensitivity.map} in this cell after each change, the largest change first:` : "No parameter of this layer changes this cell."), make("table", { class: "sensitivity" }, make("tbody", {}, ...rows)));
}

// Parameters
const toShare = (control, value) => (control.log ? Math.log(value / control.low) / Math.log(control.high / control.low) : (value - control.low) / (control.high - control.low || 1));
const fromShare = (control, share) => (control.log ? control.low * (control.high / control.low) ** share : control.low + share * (control.high - control.low));
const initialOf = (layer, name) => (S.hello.initial[layer] || {})[name];
const same = (a, b) => a === b || (Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((each, i) => same(each, b[i]))) || (typeof a === "number" && typeof b === "number" && Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b), 1e-9));

function chooseLayer(name) { // the layer whose parameters are shown, and to which the tools add
  S.layer = name;
  paintControls(); paintTargets(); paintPlot(); redraw();
}
function paintControls() {
  const box = $("controls"), layers = S.controls[S.side] || {};
  const names = Object.keys(layers);
  if (!names.length) { box.replaceChildren(make("p", { class: "hint" }, "This world has no parameters.")); return; }
  if (!names.includes(S.layer)) S.layer = names[0];
  const choice = make("select", { "aria-label": "The layer whose parameters are shown, and to which new sources are added", onchange: () => chooseLayer(choice.value) }, ...names.map((name) => make("option", { selected: name === S.layer }, name)));
  const { controls, curve } = layers[S.layer];
  const focused = document.activeElement ? document.activeElement.id : "";
  box.replaceChildren(make("div", { class: "row" }, choice, isForked() ? make("span", { class: "hint" }, `of side ${S.side.toUpperCase()}`) : null), ...controls.map((control) => paintControl(S.layer, control)), make("p", { id: "about", class: "hint" }, "Point at a parameter to read what it does."), curve ? paintCurve(S.layer, controls, curve) : "");
  if (focused.startsWith("control_")) { const again = $(focused); if (again) again.focus(); }
}
const UNITS = { "1 / world unit": "per world unit", s: "seconds", share: "a share", value: "" };
const unitOf = (control) => (control.unit ? UNITS[control.unit] ?? control.unit : "");
function aboutControl(layer, control) { // the sentence, the unit and the range that the setting declares
  const before = initialOf(layer, control.name), range = control.kind === "number" || control.kind === "vector" ? ` ${short(control.low)} to ${short(control.high)}${unitOf(control) ? `, ${unitOf(control)}` : ""}.` : "";
  return `${control.name}: ${(control.about || "").replace(/\.?$/, ".")}${range}${before === undefined || before === null ? "" : ` ${short(before)} at the beginning.`}${control.optional && control.value === null ? " It is off; move the slider to turn it on." : ""}`;
}
let tunedAt = -1e9;
function tune(layer, control, value) {
  tunedAt = performance.now();
  control.value = value;
  sendTune(layer, control.name, value);
}
const pendingTunes = new Map();
const flushTunes = later(() => { for (const [key, message] of pendingTunes) { order(message, false, onTuned); pendingTunes.delete(key); } });
const onTuned = (answer) => { if (answer.error) refresh(); }; // a refused value goes back to what it was
function sendTune(layer, name, value) { pendingTunes.set(`${layer}|${name}`, S.hello.kind === "game" ? { do: "turn", name, value } : { do: "tune", layer, name, value }); flushTunes(); }
function paintControl(layer, control) {
  const id = `control-${layer}-${control.name}`.replace(/\W/g, "_"), before = initialOf(layer, control.name);
  const out = make("output", { for: id }), row = make("div", { class: "control" });
  const mark = () => {
    out.textContent = short(control.value);
    const isChanged = before !== undefined && !same(control.value, before);
    row.classList.toggle("changed", isChanged);
    undo.hidden = !isChanged; undo.title = `Back to ${short(before)}, as it was in the file`;
    undo.setAttribute("aria-label", `${control.name} back to ${short(before)}`);
  };
  const undo = make("button", { onclick: () => { tune(layer, control, before); paintControls(); } }, "\u21ba");
  let input;
  if (control.kind === "word") {
    input = make("select", { id, onchange: () => { tune(layer, control, input.value); mark(); setTimeout(refresh, 60); } }, ...control.words.map((word) => make("option", { selected: word === control.value }, word)));
    out.hidden = true;
  } else if (control.kind === "flag") {
    input = make("input", { id, type: "checkbox", checked: control.value, onchange: () => { tune(layer, control, input.checked); mark(); } });
  } else if (control.kind === "vector") {
    const sliders = control.value.map((part, i) => make("input", { id: `${id}_${"xyz"[i]}`, type: "range", min: 0, max: 1000, step: 1, value: 1000 * Math.min(Math.max(toShare(control, part), 0), 1), "aria-label": `${control.name} ${"xyz"[i]}`, "aria-valuetext": short(part), oninput: (event) => {
      const value = [...control.value];
      value[i] = +fromShare(control, event.target.value / 1000).toPrecision(4);
      event.target.setAttribute("aria-valuetext", short(value[i])); tune(layer, control, value); mark();
    } }));
    input = make("div", { id, class: "vector", role: "group", "aria-label": control.name }, ...sliders);
  } else {
    const isOff = control.value === null;
    input = make("input", { id, type: "range", min: 0, max: 1000, step: 1, value: isOff ? 500 : 1000 * Math.min(Math.max(toShare(control, control.value), 0), 1), "aria-valuetext": short(control.value), oninput: () => {
      let value = fromShare(control, input.value / 1000);
      value = control.step ? Math.round((value - control.low) / control.step) * control.step + control.low : +value.toPrecision(4);
      tune(layer, control, value); input.setAttribute("aria-valuetext", short(value)); mark(); repaintCurve();
    } });
  }
  const explain = () => { $("about").textContent = aboutControl(layer, control); };
  row.addEventListener("pointerenter", explain); row.addEventListener("focusin", explain);
  row.append(make("label", { htmlFor: id, title: aboutControl(layer, control) }, control.name), input, out, undo);
  mark();
  return row;
}
let repaintCurve = () => {};
function paintCurve(layer, controls, curve) { // the falloff over distance, with a handle that reaches farther or less far
  const control = controls.find((each) => each.name === curve.setting), NS = "http://www.w3.org/2000/svg", W = 300, H = 76;
  if (!control) return "";
  const [x0, y0, x1, y1] = S.hello.shape.extent, far = Math.max(x1 - x0, y1 - y0) / 2;
  const svg = document.createElementNS(NS, "svg");
  svg.setAttribute("viewBox", `0 0 ${W} ${H}`); svg.setAttribute("class", "curve"); svg.setAttribute("role", "img");
  const isRadial = curve.setting === "radius", top = 10, p = curve.exponent;
  const strength = () => { const info = (S.sources[S.side] || {})[layer], all = info && info.sources ? info.sources.map((row) => Math.abs(row[3])) : []; return Math.max(...all, 1e-6) || 1; };
  const weight = (d) => {
    if (isRadial) { const u = d / control.value; if (u > 1) return 0; const at = u * 40, i = Math.min(Math.floor(at), 39); return curve.weights[i] + (at - i) * (curve.weights[i + 1] - curve.weights[i]); }
    const s = strength();
    return p ? Math.max(s ** (1 / p) - control.value * d, 0) ** p / s : Math.exp(-control.value * d);
  };
  const half = () => (isRadial ? control.value : p ? (strength() ** (1 / p) * (1 - 0.5 ** (1 / p))) / Math.max(control.value, 1e-9) : Math.LN2 / Math.max(control.value, 1e-9));
  const fromHalf = (d) => (isRadial ? d : p ? (strength() ** (1 / p) * (1 - 0.5 ** (1 / p))) / d : Math.LN2 / d);
  const path = document.createElementNS(NS, "path"), handle = document.createElementNS(NS, "circle"), text = document.createElementNS(NS, "text"), base = document.createElementNS(NS, "line");
  handle.setAttribute("r", 7); handle.setAttribute("tabindex", 0); handle.setAttribute("role", "slider"); handle.setAttribute("aria-label", isRadial ? "radius" : "distance at which half is left");
  for (const [k, v] of [["x1", 0], ["x2", W], ["y1", H - top], ["y2", H - top]]) base.setAttribute(k, v);
  const paint = () => {
    const points = Array.from({ length: 81 }, (_, i) => `${((W * i) / 80).toFixed(1)},${(H - top - (H - 2 * top) * weight((far * i) / 80)).toFixed(1)}`);
    path.setAttribute("d", `M${points.join("L")}`);
    const d = Math.min(half(), far);
    handle.setAttribute("cx", (W * d) / far); handle.setAttribute("cy", isRadial ? H - top : H - top - (H - 2 * top) * weight(d));
    handle.setAttribute("aria-valuenow", short(half())); handle.setAttribute("aria-valuetext", short(half()));
    text.textContent = isRadial ? `reaches ${short(half())}` : `half at ${short(half())}`;
    text.setAttribute("x", Math.min((W * d) / far + 10, W - 70)); text.setAttribute("y", 12);
  };
  const put = (d) => { const value = +Math.min(Math.max(fromHalf(Math.max(d, far / 400)), control.low), control.high).toPrecision(4); tune(layer, control, value); paint(); const row = document.getElementById(`control-${layer}-${control.name}`.replace(/\W/g, "_")); if (row) { row.value = 1000 * toShare(control, value); row.parentElement.querySelector("output").textContent = short(value); row.parentElement.classList.toggle("changed", !same(value, initialOf(layer, control.name))); } };
  handle.addEventListener("pointerdown", (event) => handle.setPointerCapture(event.pointerId));
  handle.addEventListener("pointermove", (event) => { if (handle.hasPointerCapture(event.pointerId)) { const box = svg.getBoundingClientRect(); put(((event.clientX - box.left) / box.width) * far); } });
  handle.addEventListener("keydown", (event) => { const turn = { ArrowLeft: 1 / 1.05, ArrowRight: 1.05 }[event.key]; if (turn) { event.preventDefault(); put(half() * turn); } });
  svg.append(base, path, handle, text);
  repaintCurve = paint;
  paint();
  return svg;
}
function refresh() { send({ do: "hello" }); }

// Layers
function buildViews() {
  const known = new Map(S.views.map((view) => [view.map, view]));
  const teams = S.hello.teams || [];
  S.views = S.hello.maps.map((map, i) => known.get(map) || {
    map, opacity: 1, visible: i === 0, table: (teamOf(map) || [])[1] || S.hello.own[map] || "sequential", limits: S.hello.limits[map] || null, isFormula: false,
  }).concat(S.views.filter((view) => view.isFormula && !S.hello.maps.includes(view.map)));
  if (teams.length && !known.size) { // a map with teams opens as one: all colors, or the owners of very many teams, and the front lines
    for (const view of S.views) view.visible = teams.length > MOST_TEAMS ? view.map === "owner" : Boolean(teamOf(view.map));
    S.views.sort((a, b) => Number(b.visible) - Number(a.visible));
    if (hasFronts()) S.overlays.add("fronts");
    if (S.hello.layers[teams[0][0]]) S.layer = teams[0][0];
  }
  if (S.views.length && !S.views.some((view) => view.visible)) S.views[0].visible = true;
  paintLayers();
}
function paintLayers() {
  const rows = S.views.map((view, i) => paintLayer(view, i));
  $("layers").replaceChildren(...rows);
}
function changed() { paintLayers(); sendShow(); redraw(); }
function nameOfColor(color) {
  if (!color.startsWith("#")) return color;
  const [r, g, b] = channels(color), most = Math.max(r, g, b), span = most - Math.min(r, g, b);
  if (span < 0.08) return most > 0.6 ? "white" : "gray";
  const hue = 60 * (most === r ? ((g - b) / span + 6) % 6 : most === g ? (b - r) / span + 2 : (r - g) / span + 4);
  return [[20, "red"], [40, "orange"], [62, "yellow"], [80, "lime"], [170, "green"], [195, "teal"], [225, "blue"], [285, "violet"], [335, "pink"], [361, "red"]].find(([end]) => hue < end)[1];
}
function paintLayer(view, i) {
  const isTop = view === shownViews()[0];
  const eye = make("input", { type: "checkbox", checked: view.visible, "aria-label": `show ${view.map}`, onchange: () => { view.visible = eye.checked; changed(); } });
  const only = make("button", { title: "Show this one alone", "aria-pressed": String(S.solo === view), onclick: () => { S.solo = S.solo === view ? null : view; if (S.solo) view.visible = true; changed(); } }, "Solo");
  const raise = make("button", { title: "Bring to the top: it is the one that is probed and drawn over", "aria-label": `bring ${view.map} to the top`, disabled: i === 0, onclick: () => { S.views.splice(i, 1); S.views.unshift(view); view.visible = true; if (S.hello.layers[view.map]) chooseLayer(view.map); changed(); } }, "\u2191");
  const drop = view.isFormula ? make("button", { "aria-label": `remove ${view.map}`, onclick: () => { S.views.splice(i, 1); if (S.solo === view) S.solo = null; changed(); } }, "\u00d7") : null;
  const low = make("input", { type: "number", step: "any", value: view.limits ? view.limits[0] : "", "aria-label": "lowest", placeholder: "follow" }), high = make("input", { type: "number", step: "any", value: view.limits ? view.limits[1] : "", "aria-label": "highest", placeholder: "follow" });
  const limits = () => { const [a, b] = [low.valueAsNumber, high.valueAsNumber]; const now = Number.isFinite(a) && Number.isFinite(b) && a < b ? [a, b] : null; if (String(now) !== String(view.limits)) { view.limits = now; sendShow(); redraw(); } };
  low.onchange = high.onchange = limits;
  const tables = [...(S.hello.own[view.map] ? [S.hello.own[view.map]] : []), "sequential", "diverging", ...S.hello.colors];
  const colors = make("select", { onchange: () => { view.table = colors.value; redraw(); } }, ...tables.map((name) => make("option", { selected: name === view.table, value: name }, { sequential: "ember (safe for color-blind readers)", diverging: "blue to orange (safe)" }[name] || nameOfColor(name))));
  const opacity = make("input", { type: "range", min: 0, max: 1, step: 0.02, value: view.opacity, oninput: () => { view.opacity = +opacity.value; redraw(); } });
  const more = make("details", { open: Boolean(view.isOpen), ontoggle: (event) => { view.isOpen = event.target.open; } }, make("summary", { class: "hint" }, "opacity, colors, limits"),
    make("div", { class: "more" }, make("label", {}, "Opacity", opacity), make("label", {}, "Colors ", colors), make("label", {}, "From ", low), make("label", {}, "To ", high)));
  return make("div", { class: `layer${isTop ? " top" : ""}`, "data-map": view.map }, make("div", { class: "row" }, eye, make("span", { class: "name", title: view.map }, view.map), only, raise, drop), view.why ? make("p", { class: "error" }, view.why) : null, more);
}
function viewFailed(key, why) {
  const map = key.split("|")[0], view = S.views.find((each) => each.map === map);
  if (view && view.why !== why) { view.why = why; paintLayers(); }
}
function viewWorks(key) {
  const map = key.split("|")[0], view = S.views.find((each) => each.map === map);
  if (view && view.why) { view.why = null; paintLayers(); }
}
$("formula").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("formula-text").value.trim();
  if (!text) return;
  tryFormula(text, (error) => {
    if (error) return;
    S.views = S.views.filter((view) => view.map !== text);
    S.views.unshift({ map: text, opacity: 1, visible: true, table: "sequential", limits: null, isFormula: true });
    S.solo = null; $("formula-text").value = ""; changed();
  });
});
function tryFormula(text, then) {
  const here = S.at ? S.at.position : [S.camera.x, S.camera.y];
  const onAnswer = (answer) => { const error = answer.error || ""; $("formula-error").textContent = error; $("formula-error").hidden = !error; then(error); };
  onAnswer.quiet = true;
  send({ do: "probe", position: here, map: text, side: S.side }, onAnswer);
}
$("formula-text").addEventListener("input", (() => { let timer = 0; return () => { clearTimeout(timer); const text = $("formula-text").value.trim(); if (!text) { $("formula-error").hidden = true; return; } timer = setTimeout(() => tryFormula(text, () => {}), 300); }; })());

// Drawings over the top map
function buildDrawings() {
  const all = [["contours", "contours"], ["flow", "flow arrows"], ["peaks", "peaks"], ["regions", "regions"], ...(hasFronts() ? [["fronts", "front lines"]] : [])];
  const boxes = all.map(([name, text]) => {
    const box = make("input", { type: "checkbox", checked: S.overlays.has(name), onchange: () => { if (box.checked) S.overlays.add(name); else { S.overlays.delete(name); for (const key of Object.keys(S.drawings)) if (key.startsWith(`${name}|`)) delete S.drawings[key]; } sendShow(); redraw(); } });
    return make("label", {}, box, ` ${text}`);
  });
  const sources = make("input", { type: "checkbox", checked: S.showSources, onchange: () => { S.showSources = sources.checked; redraw(); } });
  $("drawings").replaceChildren(make("legend", {}, "Drawings over the top layer"), ...boxes, make("label", {}, sources, " sources"));
}

// Forks
function chooseSide(side) { S.side = side; paintControls(); paintFork(); redraw(); }
function paintFork() {
  const box = $("fork");
  if (!isForked()) {
    S.pane = "a"; S.side = "a";
    box.replaceChildren(make("button", { id: "do-fork", onclick: () => send({ do: "fork" }) }, "Fork: A | B"), make("p", { class: "hint" }, "Copies the world as it is now. Parameters then belong to the chosen side; new sources and walls go to both."));
    return;
  }
  const panesButtons = [["a", "A"], ["b", "B"], ["a|b", "A | B"], ["diff", "A - B"]].map(([pane, text]) => make("button", { "aria-pressed": String(S.pane === pane), onclick: () => { S.pane = pane; if (pane === "a" || pane === "b") S.side = pane; paintFork(); paintControls(); sendShow(); S.camera.fitted = false; redraw(); } }, text));
  const sides = ["a", "b"].map((side) => make("button", { "aria-pressed": String(S.side === side), onclick: () => chooseSide(side) }, `Parameters of ${side.toUpperCase()}`));
  const keep = ["a", "b"].map((side) => make("button", { onclick: () => send({ do: "keep", side }), title: "Drops the other side" }, `Keep ${side.toUpperCase()}`));
  box.replaceChildren(make("div", { class: "wrap" }, ...panesButtons), make("div", { class: "wrap" }, ...sides), make("div", { class: "wrap" }, ...keep));
}
function paintPanes() {
  const names = { a: "A", b: "B", diff: "A - B" };
  $("panes").replaceChildren(...(isForked() ? panes().map((pane) => { const tag = make("span", {}, names[pane.side]); tag.style.left = `${pane.x + 10}px`; return tag; }) : []));
}

// Saving
function save(name, data, type) {
  const link = make("a", { download: name, href: URL.createObjectURL(new Blob([data], { type })) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 5000);
}
function exported(info) {
  const kept = $("kept");
  if (info.what === "recipe") {
    if (!info.written) save(info.name, info.text, "application/toml");
    kept.textContent = (info.written ? `Written into ${info.name}.` : `Downloaded as ${info.name}.`) + (info.left_out.length ? ` Not in a recipe: ${info.left_out.join("; ")}.` : "");
    return;
  }
  save(info.name, bytesOf(info.data), "application/octet-stream");
  kept.textContent = info.digest ? `Downloaded as ${info.name}. fieldcraft replay ${info.name} ends at ${info.digest.slice(0, 12)}...` : `Downloaded as ${info.name}.`;
}
function buildKeep() {
  const onAnswer = (answer) => { $("cancel").hidden = answer.working === undefined; if (answer.export) exported(answer.export); else $("kept").textContent = answer.error || `Filming: ${Math.round(100 * answer.working)} %`; };
  onAnswer.quiet = true;
  const out = (what, more = () => ({})) => () => { $("kept").textContent = "Working ..."; send({ do: "export", what, side: S.side, map: (shownViews()[0] || {}).map || "", ...more() }, onAnswer); };
  const isRecipe = S.hello.kind === "recipe";
  const write = make("button", { title: "Writes the changes to the recipe's file; its comments stay", onclick: () => { if (write.dataset.sure) { delete write.dataset.sure; write.textContent = `Write into ${S.hello.recipe}`; out("recipe", () => ({ write: true }))(); } else { write.dataset.sure = "yes"; write.textContent = `Yes, change ${S.hello.recipe}`; setTimeout(() => { delete write.dataset.sure; write.textContent = `Write into ${S.hello.recipe}`; }, 4000); } } }, `Write into ${S.hello.recipe}`);
  const time = (id, text) => make("label", { class: "slim" }, `${text} `, make("input", { id, type: "number", min: 0, step: "any", placeholder: id === "film-from" ? "0" : "now", style: "width:70px" }));
  const range = () => { const at = (id) => { const value = $(id).valueAsNumber; return Number.isFinite(value) ? Math.max(0, Math.round(value / S.hello.step)) : null; }; return { begin: at("film-from") || 0, end: at("film-to"), size: +$("film-size").value }; };
  const size = make("select", { id: "film-size", onchange: () => { S.filmSize = +size.value; } }, ...[320, 640, 960, 1280].map((each) => make("option", { selected: each === S.filmSize }, each)));
  $("keep").replaceChildren(...[
    isRecipe ? write : null,
    isRecipe ? make("button", { id: "undo-write", hidden: !S.changes.written, title: "Restores the text that the file had before the last writing", onclick: undoWriting }, "Undo writing") : null,
    isRecipe ? make("button", { title: "Downloads the recipe with the changes in it: a text file", onclick: out("recipe") }, "Recipe") : null,
    hasPast() ? make("button", { id: "keep-session", title: "Downloads the run with all edits, to replay it bit for bit or to continue it", onclick: out("session") }, "Session") : null,
    make("button", { id: "keep-picture", title: "Downloads the map as it is drawn now, with title, time and legend", onclick: savePicture }, "PNG"),
    inNotebook ? null : make("button", { title: "Copies an address that shows this view at this moment", onclick: copyLink }, "Link"),
    hasPast() ? make("div", { class: "wrap", role: "group", "aria-label": "Film" }, time("film-from", "Film from second"), time("film-to", "to"), make("label", { class: "slim" }, "pixels ", size),
      make("button", { title: "A film for web pages and messengers", onclick: out("gif", range) }, "GIF"), make("button", { title: "A smaller file, for players", onclick: out("mp4", range) }, "MP4")) : null,
    make("button", { id: "cancel", hidden: true, onclick: () => send({ do: "cancel" }) }, "Cancel the film"),
  ].filter(Boolean));
}
function undoWriting() {
  send({ do: "restore", side: S.side }, (answer) => { if (!answer.error) $("kept").textContent = `Restored the previous text of ${S.hello.recipe}.`; });
}
const PNG_MARGIN = 14, PNG_LINE = 20; // pixels of the page
function paintRow(paper, row, x, y, colors) { // a row of the legend as the page shows it
  for (const part of row.childNodes) {
    const style = part.nodeType === 1 ? getComputedStyle(part) : null;
    if (part.nodeType === 3 || part.tagName === "SPAN" && !part.querySelector("canvas")) { paper.fillStyle = part.className === "more" ? colors.warn : colors.ink; paper.fillText(part.textContent, x, y); x += paper.measureText(part.textContent).width + 8; continue; }
    const bar = part.tagName === "SPAN" ? part.querySelector("canvas") : null;
    if (bar) {
      for (const [beyond, tip, base] of [[part.querySelector(".beyond.left"), x, x + 9], [part.querySelector(".beyond.right"), x + 167, x + 158]]) if (beyond) { paper.fillStyle = beyond.style.color; paper.beginPath(); paper.moveTo(tip, y); paper.lineTo(base, y - 6); paper.lineTo(base, y + 6); paper.fill(); }
      paper.drawImage(bar, x + 9, y - 5, 149, 10); x += 176; continue;
    }
    paper.fillStyle = style.backgroundColor;
    if (part.className === "dot") { paper.beginPath(); paper.arc(x + 6, y, 6, 0, 7); paper.fill(); x += 18; } else { paper.fillRect(x, y - 1, 22, 2); x += 30; }
  }
}
function placesOf(rows, paper, width) { // where each row of the legend begins, [x, line]: names of teams beside each other as far as they fit
  let x = PNG_MARGIN, line = -1, wasName = false;
  return rows.map((row) => {
    const isName = row.parentNode.className === "names", wide = paper.measureText(row.textContent).width + 8 + 18 * row.querySelectorAll(".dot").length;
    if (!isName || !wasName || x + wide > width - PNG_MARGIN) { x = PNG_MARGIN; line++; }
    const place = [x, line];
    wasName = isName; x += wide + 10;
    return place;
  });
}
function pictureOfMap() { // the map as it is drawn now, with title, time and legend
  paintLegend(); paintMaps();
  const ratio = window.devicePixelRatio || 1, rows = $("legend").hidden ? [] : [...$("legend").querySelectorAll(".scale")], colors = { ink: css("--ink"), muted: css("--muted"), warn: css("--warn") };
  const both = make("canvas", { width: canvas.width, height: canvas.height }), paper = both.getContext("2d"), font = "13px system-ui, sans-serif";
  paper.font = font;
  const places = placesOf(rows, paper, canvas.width / ratio), lines = rows.length ? places[rows.length - 1][1] + 1 : 0;
  const top = 2 * PNG_MARGIN + PNG_LINE, bottom = lines ? 2 * PNG_MARGIN + PNG_LINE * lines : 0;
  both.height = canvas.height + Math.round((top + bottom) * ratio); // sets font and scale anew
  paper.scale(ratio, ratio);
  paper.fillStyle = css("--page"); paper.fillRect(0, 0, both.width, both.height);
  paper.drawImage(canvas, 0, top, canvas.width / ratio, canvas.height / ratio);
  if (!ink.hidden) paper.drawImage(ink, 0, top, canvas.width / ratio, canvas.height / ratio);
  paper.textBaseline = "middle";
  paper.font = "600 16px system-ui, sans-serif"; paper.fillStyle = colors.ink;
  paper.fillText(S.hello.title || "map", PNG_MARGIN, top / 2);
  paper.font = font; paper.fillStyle = colors.muted; paper.textAlign = "right";
  paper.fillText($("clock").value, canvas.width / ratio - PNG_MARGIN, top / 2);
  paper.textAlign = "left";
  rows.forEach((row, i) => paintRow(paper, row, places[i][0], top + canvas.height / ratio + PNG_MARGIN + PNG_LINE * (places[i][1] + 0.5), colors));
  return both;
}
function savePicture() {
  const name = `${(S.hello.title || "map").toLowerCase().replace(/[^a-z0-9]+/g, "-")}.png`;
  pictureOfMap().toBlob((blob) => { save(name, blob, "image/png"); $("kept").textContent = `Downloaded as ${name}.`; });
}
function stateOfView() {
  return { views: S.views.map(({ map, opacity, visible, table, limits, isFormula }) => ({ map, opacity, visible, table, limits, isFormula })), camera: S.camera, overlays: [...S.overlays], layer: S.layer, moment: S.status ? S.status.moment : 0 };
}
function copyLink() { // with the session if it is small, so that the link works after this lab is closed
  const view = encodeURIComponent(btoa(unescape(encodeURIComponent(JSON.stringify(stateOfView())))));
  const onAnswer = async (answer) => {
    const data = answer.export && answer.export.data.length < 65536 ? answer.export.data.replace(/\+/g, "-").replace(/\//g, "_") : "";
    const link = `${location.origin}/#state=${view}${data ? `&session=${data}` : ""}`; // without the token
    history.replaceState(null, "", link);
    const later = data ? " Elsewhere or later, fieldcraft lab 'LINK' brings it back." : "";
    try { await navigator.clipboard.writeText(link); $("kept").textContent = `Copied: in this browser it opens this view at this moment as long as the lab runs.${later}`; } catch { $("kept").textContent = link; }
  };
  onAnswer.quiet = true;
  if (!hasPast()) onAnswer({}); else send({ do: "export", what: "session", side: S.side }, onAnswer);
}
function applyStateFromLink() {
  const text = new URLSearchParams(location.hash.slice(1)).get("state");
  if (!text) return;
  try {
    const state = JSON.parse(decodeURIComponent(escape(atob(text))));
    S.views = state.views.map((view) => ({ ...view, why: null })); S.camera = { ...state.camera }; S.overlays = new Set(state.overlays); S.layer = state.layer;
    send({ do: "seek", moment: state.moment });
  } catch { showBanner("The link's state can't be read; the lab opens as usual."); }
}
