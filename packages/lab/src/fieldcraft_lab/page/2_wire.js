// The socket: messages out, frames and answers in. A lost connection comes back by itself.
const Wire = { socket: null, next: 1, looks: new Map(), asked: new Map(), tries: 0, sent: new Map(), latencies: [], frames: 0, bytes: 0, waiting: null };
function tokenOfThisLab() { // links carry none: this browser keeps it, for this address alone
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  try {
    if (given) localStorage.setItem("token", given);
    return given || localStorage.getItem("token") || "";
  } catch { return given || ""; }
}
const token = tokenOfThisLab();

function send(message, hear) {
  if (!Wire.socket || Wire.socket.readyState !== 1) return 0;
  const id = Wire.next++;
  if (hear) Wire.asked.set(id, hear);
  Wire.socket.send(JSON.stringify({ ...message, id }));
  return id;
}
function order(message, both = false) { // to the side that is chosen; walls and sources go to both sides of a fork
  const to = isForked() && !both ? { to: S.side } : {};
  const id = send({ ...message, ...to, joined: S.gesture === S.lastGesture }); // what one stroke or one drag orders is undone at once
  S.lastGesture = S.gesture;
  Wire.sent.set(id, performance.now());
  return id;
}
const inNotebook = location.protocol === "about:";
function opened() { // in a notebook the page lies in a frame, and whoever holds the frame carries the messages
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
      if (S.geometry > 0) { takeGeometry(event.data); S.geometry = 0; } else takeFrame(event.data);
      return;
    }
    const said = JSON.parse(event.data);
    const hear = Wire.asked.get(said.id);
    if (hear) { if (said.working === undefined) Wire.asked.delete(said.id); hear(said); }
    if (said.hello) { Wire.tries = 0; if (said.geometry) S.geometry = said.geometry; welcome(said.hello, "geometry" in said); }
    if (said.changed && !said.hello) takeChanges(said.changed);
    if (said.reload) { S.changes.unsaved = false; history.replaceState(null, "", `/#token=${token}`); location.reload(); return; }
    if (said.error && !(hear && hear.quiet)) complain(said.error);
    if (said.drawing) { S.drawings[`${said.what}|${said.side}`] = said.drawing; redraw(); }
  };
  socket.onclose = (event) => {
    if (Wire.socket !== socket) return;
    Wire.asked.clear(); Wire.looks.clear();
    if (event.code === 1008) { complain("The lab does not know this page's token. Open the address that the program printed.", true); return; }
    complain("The connection is lost. Trying again ...", true);
    setTimeout(connect, Math.min(250 * 2 ** Wire.tries++, 4000));
  };
}
let quiet = 0;
function complain(text, stays = false) {
  const banner = $("banner");
  banner.textContent = text; banner.hidden = false;
  clearTimeout(quiet);
  if (!stays) quiet = setTimeout(() => { banner.hidden = true; }, 6000);
}
const keyOf = (view) => `${view.map}|${view.side}|${view.limits || ""}|${view.region || ""}`;
function look() { // says what is to be seen
  if (!S.hello) return;
  const views = [];
  for (const side of sidesShown()) {
    for (const shown of shownViews()) views.push({ map: shown.map, side, limits: limitsFor(shown, side), region: regionNow() });
  }
  views.push({ map: "#walls", side: "a", limits: null, region: regionNow() });
  const asked = JSON.stringify([views, [...S.overlays]]);
  if (asked === Wire.looked) return;
  Wire.looked = asked;
  const id = send({ do: "look", views, overlays: [...S.overlays] });
  Wire.looks.set(id, views.map(keyOf));
}
const shownViews = () => (S.solo ? S.views.filter((view) => view === S.solo) : S.views.filter((view) => view.visible)).slice(0, 7);

function takeFrame(buffer) {
  Wire.frames++; Wire.bytes += buffer.byteLength;
  const length = new DataView(buffer).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length)));
  const keys = Wire.looks.get(header.look) || [];
  let at = 4 + length;
  for (const view of header.views) at = takeView(keys[view.view], view, buffer, at);
  if (keys.length) { keepTextures(new Set(keys)); for (const id of [...Wire.looks.keys()]) if (id < header.look) Wire.looks.delete(id); }
  if (header.sources) { S.sources = header.sources; forgetGone(); }
  if (header.status.moment !== undefined) takeStatus(header.status);
  Wire.waiting = header;
  if (header.sources) redraw(); else redrawMaps();
}
function drawn() { // the frame is on the screen: the next may come
  const header = Wire.waiting;
  if (!header) return;
  Wire.waiting = null;
  const now = performance.now();
  for (const [id, at] of Wire.sent) if (id <= header.done) { Wire.latencies.push(now - at); Wire.sent.delete(id); }
  if (Wire.latencies.length > 500) Wire.latencies.splice(0, 250);
  send({ do: "ack", frame: header.frame });
}
