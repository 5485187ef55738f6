// The socket: messages out, frames and answers in. It reconnects after a loss.
const Wire = { socket: null, next: 1, shows: new Map(), pending: new Map(), tries: 0, sent: new Map(), latencies: [], frames: 0, bytes: 0, waiting: null };
function tokenOfThisLab() { // links contain none: the browser stores it, for this address only
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  try {
    if (given) localStorage.setItem("token", given);
    return given || localStorage.getItem("token") || "";
  } catch { return given || ""; }
}
const token = tokenOfThisLab();

function send(message, onAnswer) {
  if (!Wire.socket || Wire.socket.readyState !== 1) return 0;
  const id = Wire.next++;
  if (onAnswer) Wire.pending.set(id, onAnswer);
  Wire.socket.send(JSON.stringify({ ...message, id }));
  return id;
}
function order(message, both = false, onAnswer = undefined) { // to the chosen side; walls and sources go to both sides of a fork
  const to = isForked() && !both ? { to: S.side } : {};
  const id = send({ ...message, ...to, joined: S.gesture === S.lastGesture }, onAnswer); // the orders of one stroke or drag are one edit
  S.lastGesture = S.gesture;
  Wire.sent.set(id, performance.now());
  return id;
}
const inNotebook = location.protocol === "about:";
function opened() { // in a notebook the page is in a frame, and messages go through its parent
  if (!inNotebook) return new WebSocket(`ws://${location.host}/live`);
  const socket = { readyState: 0, send: (text) => parent.postMessage(text, "*") };
  addEventListener("message", (event) => { if (event.source === parent) socket.onmessage({ data: event.data }); });
  setTimeout(() => { socket.readyState = 1; socket.onopen(); });
  return socket;
}
function connect() {
  const socket = opened();
  socket.binaryType = "arraybuffer";
  Wire.socket = socket;
  socket.onopen = () => socket.send(JSON.stringify({ token }));
  socket.onmessage = (event) => {
    if (typeof event.data !== "string") {
      if (S.geometry > 0) { applyGeometry(event.data); S.geometry = 0; } else applyFrame(event.data);
      return;
    }
    const answer = JSON.parse(event.data);
    const onAnswer = Wire.pending.get(answer.id);
    if (onAnswer) { if (answer.working === undefined) Wire.pending.delete(answer.id); onAnswer(answer); }
    if (answer.hello) { Wire.tries = 0; if (answer.geometry) S.geometry = answer.geometry; applyHello(answer.hello, "geometry" in answer); }
    if (answer.changed && !answer.hello) applyChanges(answer.changed);
    if (answer.rewritten) forgetRewritten(answer.rewritten);
    if (answer.reload) { S.changes.unsaved = false; history.replaceState(null, "", `/#token=${token}`); location.reload(); return; }
    if (answer.error && !(onAnswer && onAnswer.quiet)) showBanner(answer.error);
    if (answer.drawing) { S.drawings[`${answer.what}|${answer.side}`] = answer.drawing; redraw(); }
  };
  socket.onclose = (event) => {
    if (Wire.socket !== socket) return;
    Wire.pending.clear(); Wire.shows.clear();
    if (event.code === 1008) { showBanner("Wrong token. Open the address that the program printed.", true); return; }
    showBanner("The connection is lost. Trying again ...", true);
    setTimeout(connect, Math.min(250 * 2 ** Wire.tries++, 4000));
  };
}
let quiet = 0;
function showBanner(text, stays = false) {
  const banner = $("banner");
  banner.textContent = text; banner.hidden = false;
  clearTimeout(quiet);
  if (!stays) quiet = setTimeout(() => { banner.hidden = true; }, 6000);
}
const keyOf = (view) => `${view.map}|${view.side}|${view.limits || ""}|${view.region || ""}`;
function sendShow() { // the maps and drawings that are visible
  if (!S.hello) return;
  const views = [];
  for (const side of sidesShown()) {
    for (const shown of shownViews()) views.push({ map: shown.map, side, limits: limitsFor(shown, side), region: regionNow() });
  }
  views.push({ map: "#walls", side: "a", limits: null, region: regionNow() });
  const shown = JSON.stringify([views, [...S.overlays]]);
  if (shown === Wire.lastShow) return;
  Wire.lastShow = shown;
  const id = send({ do: "show", views, overlays: [...S.overlays] });
  Wire.shows.set(id, views.map(keyOf));
}
const MOST_SHOWN = 7, MOST_TEAMS = 12; // maps on top of each other, and teams in one picture: a browser has at least 16 textures for them
function shownViews() {
  const chosen = S.solo ? [S.solo] : S.views.filter((view) => view.visible), isTeam = (view) => Boolean(teamOf(view.map));
  const others = chosen.filter((view) => !isTeam(view)).slice(0, MOST_SHOWN), teams = chosen.filter(isTeam).slice(0, MOST_TEAMS);
  return chosen.filter((view) => others.includes(view) || teams.includes(view));
}

function applyFrame(buffer) {
  Wire.frames++; Wire.bytes += buffer.byteLength;
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const keys = Wire.shows.get(header.show) || [];
  let at = 4 + length;
  for (const view of header.views) at = applyView(keys[view.view], view, buffer, at);
  if (keys.length) { deleteUnusedTextures(new Set(keys)); for (const id of [...Wire.shows.keys()]) if (id < header.show) Wire.shows.delete(id); }
  if (header.sources) { S.sources = header.sources; clearRemoved(); }
  if (header.status.moment !== undefined) applyStatus(header.status);
  Wire.waiting = header;
  probeAgain();
  if (header.sources) redraw(); else redrawMaps();
}
function acknowledge() { // the frame is on the screen
  const header = Wire.waiting;
  if (!header) return;
  Wire.waiting = null;
  const now = performance.now();
  for (const [id, at] of Wire.sent) if (id <= header.done) { Wire.latencies.push(now - at); Wire.sent.delete(id); }
  if (Wire.latencies.length > 500) Wire.latencies.splice(0, 250);
  send({ do: "ack", frame: header.frame });
}
