// Time, and the start of the page.
let isScrubbing = false, linkApplied = false, lastClock = 0, lastPlot = 0, lastAsk = 0;

function applyHello(hello, isFirst) {
  const wasForked = isForked();
  S.hello = hello;
  if (isForked() && !wasForked) { S.pane = "a|b"; S.camera.fitted = false; }
  if (isFirst) { for (const { texture: each } of GL.textures.values()) gl.deleteTexture(each); GL.textures.clear(); Wire.lastShow = ""; $("banner").hidden = true; }
  S.sources = { ...hello.sides };
  for (const side of ["a", "b"]) S.history[side] = new Map(hello.history[side] || []);
  document.title = `${hello.title || "map"} - fieldcraft lab`;
  $("title").textContent = hello.title || "fieldcraft lab";
  if (!linkApplied) { linkApplied = true; applyStateFromLink(); }
  for (const id of ["back", "scrub", "speed"]) $(id).disabled = !hasPast();
  for (const id of ["play", "step"]) $(id).disabled = hello.kind === "program";
  for (const id of ["fork", "edits"]) $(id).closest("section").hidden = !hasPast();
  buildViews(); buildTools(); buildDrawings(); buildKeep(); buildPlot(); paintFork(); paintPanes(); paintPlot();
  tunedAt = -1e9;
  applyChanges(hello.changed);
  if (hello.start && isFirst && !S.started) { S.started = true; showStart(); }
  if (isFirst) S.camera.fitted = S.camera.fitted && S.camera.zoom !== 1;
  Wire.lastShow = "";
  sendShow(); redraw();
}
function paintClock(status) {
  $("play").textContent = status.playing ? "Pause" : "Play";
  $("play").setAttribute("aria-pressed", String(status.playing));
  $("scrub").max = status.furthest;
  if (!isScrubbing) $("scrub").value = status.moment;
  $("scrub").setAttribute("aria-valuetext", `${status.seconds.toFixed(2)} seconds`);
  const isPast = S.hello.end !== null && status.moment >= S.hello.end;
  $("clock").value = `${status.seconds.toFixed(2)} s, step ${status.moment}${isPast ? `; the recipe ended at ${seconds(S.hello.end)}` : ""}`;
  paintNote();
}
function applyStatus(status) {
  S.status = status;
  const now = performance.now();
  if (!status.playing || now - lastClock > 100) { lastClock = now; paintClock(status); } // changing text with each frame costs more than the map
  for (const side of ["a", "b"]) {
    if (status.totals[side]) S.history[side].set(status.moment, status.totals[side]);
    if (S.history[side].size > 2000) for (const moment of [...S.history[side].keys()].filter((_, i) => i % 2)) S.history[side].delete(moment);
  }
  if (now - lastPlot > 250) { lastPlot = now; paintPlot(); paintLegend(); paintPanes(); }
  if (status.playing && S.question && now - lastAsk > 250) { lastAsk = now; askAgain(); }
}
function forgetRewritten([side, begin]) { // totals that an edit has changed
  for (const moment of [...S.history[side].keys()]) if (moment >= begin) S.history[side].delete(moment);
}
const seek = later((moment) => send({ do: "seek", moment }));
$("play").onclick = () => send({ do: S.status && S.status.playing ? "pause" : "play" });
$("step").onclick = () => send({ do: "step", count: 1 });
$("back").onclick = () => { if (S.status && S.status.moment > 0) send({ do: "seek", moment: S.status.moment - 1 }); };
$("speed").onchange = () => send({ do: "speed", factor: +$("speed").value });
$("scrub").addEventListener("pointerdown", () => { isScrubbing = true; });
$("scrub").addEventListener("pointerup", () => { isScrubbing = false; });
$("scrub").oninput = () => seek(+$("scrub").value);
$("scrub").onchange = () => { isScrubbing = false; };
new ResizeObserver(() => { if (S.hello) { S.camera.fitted = S.camera.fitted && S.camera.touched; paintPanes(); redraw(); } }).observe(over);
isLight.addEventListener("change", () => { GL.tables.clear(); redraw(); });
setInterval(() => { if (S.hello) { paintLegend(); paintPanes(); } }, 500);
window.lab = { S, Wire, order, send, toScreen, panes, labels: () => labels }; // for tests and measurements
requestAnimationFrame(tick);
connect();
