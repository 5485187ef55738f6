// The maps as pictures: bytes in textures, colors from tables, planes as one rectangle, other cells as triangles or dots.
const GL = { textures: new Map(), tables: new Map(), programs: new Map(), geometry: null, marks: [], isDirty: true };
const canvas = $("map"), over = $("over"), ink = $("ink"), pen = ink.getContext("2d");
const gl = canvas.getContext("webgl2", { antialias: false, alpha: false, preserveDrawingBuffer: true });

// The textures of a number of maps as colors: one map by its table; teams mixed as `fc.view.frame_teams` does, where more than four meet the strongest alone.
const MOST_MIXED = 4;
const numbered = (count, text) => Array.from({ length: count }, (_, i) => text(i)).join("");
const mixed = (count) => `uniform sampler2D tables;` + numbered(count, (i) => `uniform sampler2D values${i};uniform float opacity${i};`) + (count === 1
  ? `vec4 mixed(float v[1]){vec4 c=texelFetch(tables,ivec2(int(v[0]*255.+.5),0),0);return vec4(c.rgb,c.a*opacity0);}`
  : `vec4 mixed(float v[${count}]){float total=0.,rest=1.,most=0.;vec3 sum=vec3(0);float s[${count}];
${numbered(count, (i) => `s[${i}]=v[${i}]>.998?0.:min(v[${i}]*255./254.,1.)*opacity${i};total+=s[${i}]*s[${i}];rest*=1.-s[${i}];most=max(most,s[${i}]);`)}
if(most==0.)return vec4(0);int row=int((1.-rest)*254.+.5);
${count <= MOST_MIXED ? numbered(count, (i) => `sum+=texelFetch(tables,ivec2(row,${i}),0).rgb*s[${i}]*s[${i}]/total;`) : numbered(count, (i) => `if(s[${i}]==most)sum=texelFetch(tables,ivec2(int(most*254.+.5),${i}),0).rgb;`)}
return vec4(sum,1);}`);
const readAll = (count, read) => `float v[${count}];${numbered(count, (i) => `v[${i}]=${read(i)};`)}`;
const PLANE_CORNERS = `#version 300 es
uniform vec4 camera, extent; uniform float turned; out vec2 uv;
void main(){vec2 c=vec2(gl_VertexID&1,gl_VertexID>>1);uv=vec2(c.x,turned>.5?1.-c.y:c.y);vec2 p=mix(extent.xy,extent.zw,c);gl_Position=vec4((p-camera.xy)*camera.zw,0,1);}`;
const CELL_CORNERS = `#version 300 es
uniform vec4 camera; uniform float dot_size; layout(location=0) in vec2 place; layout(location=1) in uint cell; flat out uint owner;
void main(){owner=cell;gl_PointSize=dot_size;gl_Position=vec4((place-camera.xy)*camera.zw,0,1);}`;
const planeProgram = (count) => program(PLANE_CORNERS, `#version 300 es
precision highp float;precision highp int;in vec2 uv;out vec4 o;uniform float has_edges;${mixed(count)}
float at(sampler2D t,vec2 p){ivec2 size=textureSize(t,0);return texelFetch(t,clamp(ivec2(p*vec2(size)),ivec2(0),size-1),0).r;}
void main(){${readAll(count, (i) => `at(values${i},uv)`)}vec2 d=1.5*fwidth(uv);
if(has_edges>.5&&v[0]>0.&&min(min(at(values0,uv+vec2(d.x,0)),at(values0,uv-vec2(d.x,0))),min(at(values0,uv+vec2(0,d.y)),at(values0,uv-vec2(0,d.y))))==0.)v[0]=2./255.;
o=mixed(v);}`);
const cellsProgram = (count) => program(CELL_CORNERS, `#version 300 es
precision highp float;precision highp int;flat in uint owner;out vec4 o;uniform float round;${mixed(count)}
void main(){if(round>.5&&length(gl_PointCoord-.5)>.5)discard;int w=textureSize(values0,0).x;ivec2 at=ivec2(int(owner)%w,int(owner)/w);${readAll(count, (i) => `texelFetch(values${i},at,0).r`)}o=mixed(v);}`);
function programFor(isPlane, count) {
  const key = `${isPlane}|${count}`;
  if (!GL.programs.has(key)) GL.programs.set(key, isPlane ? planeProgram(count) : cellsProgram(count));
  return GL.programs.get(key);
}
const EDGES = program(`#version 300 es
uniform vec4 camera; layout(location=0) in vec2 place; void main(){gl_Position=vec4((place-camera.xy)*camera.zw,0,1);}`,
`#version 300 es
precision highp float;out vec4 o;uniform vec4 ink;void main(){o=ink;}`);

function program(vertex, fragment) {
  if (!gl) { showBanner("This browser has no WebGL2: the map can't be drawn.", true); return null; }
  const made = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text); gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  const places = {};
  const count = gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS);
  for (let i = 0; i < count; i++) { const { name } = gl.getActiveUniform(made, i); places[name] = gl.getUniformLocation(made, name); }
  return { made, places };
}
function texture(width, height, inner, format, data) {
  const made = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, made);
  for (const side of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, side, gl.NEAREST);
  for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  gl.texImage2D(gl.TEXTURE_2D, 0, inner, width, height, 0, format, gl.UNSIGNED_BYTE, data);
  return made;
}
function bytesOf(text) { return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)); }
const isLight = matchMedia("(prefers-color-scheme: light)");
function rowsOf(name) { // the colors of maps and legends: the tables of `fc.view`
  const tables = S.hello.tables[isLight.matches ? "light" : "dark"];
  return bytesOf(tables[name] || tables.sequential);
}
function pixelsOf(name) { // a row of colors with opacity
  const pixels = new Uint8Array(1024);
  if (name.startsWith("#walls")) {
    const style = getComputedStyle(document.documentElement);
    ["--ground", "--wall", "--wall-edge"].forEach((each, i) => {
      const color = style.getPropertyValue(each).trim();
      for (let k = 0; k < 3; k++) pixels[4 * i + k] = parseInt(color.slice(1 + 2 * k, 3 + 2 * k), 16);
      pixels[4 * i + 3] = name === "#walls" || i ? 255 : 0;
    });
  } else {
    const rgb = rowsOf(name);
    for (let i = 0; i < rgb.length / 3; i++) pixels.set([rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2], 255], 4 * i);
  }
  return pixels;
}
function tablesOf(names) { // one texture with a row for each table
  const key = names.join("|");
  if (GL.tables.has(key)) return GL.tables.get(key);
  const pixels = new Uint8Array(1024 * names.length);
  names.forEach((name, i) => pixels.set(pixelsOf(name), 1024 * i));
  const made = texture(256, names.length, gl.RGBA8, gl.RGBA, pixels);
  GL.tables.set(key, made);
  return made;
}
function applyView(key, view, buffer, at) {
  const size = view.width * view.height;
  if (view.whole) {
    const data = new Uint8Array(buffer, at, size);
    const old = key && GL.textures.get(key);
    if (key) {
      if (old) gl.deleteTexture(old.texture);
      GL.textures.set(key, { texture: texture(view.width, view.height, gl.R8, gl.RED, data), ...view });
    }
    if (key && view.why !== undefined) viewFailed(key, view.why); else if (key) viewWorks(key, view);
    return at + size;
  }
  const there = GL.textures.get(key);
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  if (there) gl.bindTexture(gl.TEXTURE_2D, there.texture);
  for (let i = 0; i < view.tiles.length; i += 4) {
    const [x, y, w, h] = view.tiles.slice(i, i + 4);
    if (there) gl.texSubImage2D(gl.TEXTURE_2D, 0, x, y, w, h, gl.RED, gl.UNSIGNED_BYTE, new Uint8Array(buffer, at, w * h));
    at += w * h;
  }
  return at;
}
function deleteUnusedTextures(keys) {
  for (const [key, { texture: each }] of [...GL.textures]) if (!keys.has(key)) { gl.deleteTexture(each); GL.textures.delete(key); }
}
function applyGeometry(buffer) {
  const { triangles, dots, edges } = S.hello.shape, count = triangles || dots;
  const place = gl.createBuffer(), owner = gl.createBuffer(), index = gl.createBuffer(), array = gl.createVertexArray();
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ARRAY_BUFFER, place); gl.bufferData(gl.ARRAY_BUFFER, new Uint8Array(buffer, 0, 8 * count), gl.STATIC_DRAW);
  gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0);
  gl.bindBuffer(gl.ARRAY_BUFFER, owner); gl.bufferData(gl.ARRAY_BUFFER, new Uint8Array(buffer, 8 * count, 4 * count), gl.STATIC_DRAW);
  gl.enableVertexAttribArray(1); gl.vertexAttribIPointer(1, 1, gl.UNSIGNED_INT, 0, 0);
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, index); gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint8Array(buffer, 12 * count, 8 * edges), gl.STATIC_DRAW);
  gl.bindVertexArray(null);
  GL.geometry = { array, triangles, dots, edges };
  redraw();
}
// The camera: world units to the middle of a pane, `zoom` pixels of the page each.
function panes() {
  const shown = sidesShown(), wide = over.clientWidth / shown.length;
  return shown.map((side, i) => ({ side, x: i * wide, y: 0, width: wide, height: over.clientHeight }));
}
const flip = () => (S.hello.shape.y_up ? -1 : 1);
function toScreen(pane, x, y) {
  return [pane.x + pane.width / 2 + (x - S.camera.x) * S.camera.zoom, pane.height / 2 + flip() * (y - S.camera.y) * S.camera.zoom];
}
function toWorld(pane, x, y) {
  return [S.camera.x + (x - pane.x - pane.width / 2) / S.camera.zoom, S.camera.y + (flip() * (y - pane.height / 2)) / S.camera.zoom];
}
function paneAt(x) { return panes().find((pane) => x >= pane.x && x < pane.x + pane.width) || panes()[0]; }
function roomForNames() { // pixels at the lower edge that a legend of many teams takes
  const box = $("legend");
  return !box.hidden && box.querySelector(".names") ? over.clientHeight - box.offsetTop : 0;
}
function fit() { // the whole map, above a legend of many teams if it would lie on the map
  const [x0, y0, x1, y1] = S.hello.shape.extent, pane = panes()[0], wide = Math.max(x1 - x0, 1e-9), high = Math.max(y1 - y0, 1e-9), room = roomForNames();
  const zoom = 0.94 * Math.min(pane.width / wide, (pane.height - room) / high);
  const margin = (pane.height - zoom * high) / 2, up = room ? Math.min(Math.max(room + 6 - margin, 0), margin) : 0;
  const x = (x0 + x1) / 2, y = (y0 + y1) / 2 + (flip() * up) / zoom;
  S.camera = { x, y, zoom, fitted: true, at: [x, y, zoom], room };
}
function isFitted() { return Boolean(S.camera.at) && [S.camera.x, S.camera.y, S.camera.zoom].every((value, i) => value === S.camera.at[i]); }
function regionNow() { // the visible part of a map of very many cells, rounded so that it changes rarely
  if (!S.hello || S.hello.shape.form !== "pixels") return null;
  const [x0, y0, x1, y1] = S.hello.shape.extent, pane = panes()[0];
  const wide = pane.width / S.camera.zoom, high = pane.height / S.camera.zoom;
  if (wide > 0.6 * (x1 - x0) || high > 0.6 * (y1 - y0)) return null;
  const grain = 2 ** Math.ceil(Math.log2(Math.max(wide, high) / 4));
  const down = (v) => Math.floor(v / grain) * grain, up = (v) => Math.ceil(v / grain) * grain;
  return [down(S.camera.x - wide / 2), down(S.camera.y - high / 2), up(S.camera.x + wide / 2), up(S.camera.y + high / 2)];
}
function fitCanvases() {
  const ratio = window.devicePixelRatio || 1;
  for (const each of [canvas, ink]) {
    const width = Math.round(over.clientWidth * ratio), height = Math.round(over.clientHeight * ratio);
    if (each.width !== width || each.height !== height) { each.width = width; each.height = height; isOverDirty = true; }
  }
}
function paintMaps() {
  const ratio = window.devicePixelRatio || 1;
  if (!S.camera.fitted) fit();
  gl.enable(gl.SCISSOR_TEST); gl.enable(gl.BLEND);
  gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
  const page = css("--page");
  gl.clearColor(...[1, 3, 5].map((at) => parseInt(page.slice(at, at + 2), 16) / 255), 1);
  panes().forEach((pane, index) => {
    const box = [pane.x * ratio, 0, pane.width * ratio, canvas.height].map(Math.round);
    gl.viewport(...box); gl.scissor(...box); gl.clear(gl.COLOR_BUFFER_BIT);
    const camera = [S.camera.x, S.camera.y, (2 * S.camera.zoom) / pane.width, (-2 * flip() * S.camera.zoom) / pane.height];
    const region = regionNow();
    const walls = { key: keyOf({ map: "#walls", side: "a", limits: null, region }), table: "#walls", opacity: 1 };
    paintViews([walls], camera, ratio);
    if (GL.geometry && GL.geometry.edges) paintEdges(camera);
    const drawn = (view) => {
      const key = keyOf({ map: view.map, side: pane.side, limits: limitsFor(view, pane.side), region }), info = GL.textures.get(key);
      return info && info.why === undefined ? [{ key, table: tableFor(view, pane.side, info), opacity: view.opacity }] : [];
    };
    const teams = mixedViews(pane.side);
    for (const view of [...shownViews()].reverse()) {
      if (view === teams[0]) paintViews(teams.flatMap(drawn), camera, ratio);
      else if (!teams.includes(view)) paintViews(drawn(view), camera, ratio);
    }
    if (isWaiting()) paintViews([{ ...walls, table: "#walls over" }], camera, ratio); // maps still have the values under new walls
    paintMarks(pane, index, camera, ratio);
  });
}
const tableFor = (view, side, info) => (side === "diff" || (info.signed && view.table === "sequential") ? "diverging" : view.table);
const teamOf = (map) => (S.hello.teams || []).find(([name]) => name === map);
const hasFronts = () => (S.hello.teams || []).length > 0 && S.hello.kind !== "game"; // fields of a game that are drawn together are no hostile teams
const kindsOf = (map) => (S.hello.kinds || {})[map];
function mixedViews(side) { // the views of teams, which are drawn as one picture
  const found = side === "diff" ? [] : shownViews().filter((view) => teamOf(view.map));
  return found.length > 1 ? found : [];
}
function paintViews(drawn, camera, ratio) { // one map, or teams together
  const found = drawn.filter(({ key }) => GL.textures.has(key));
  if (!found.length) return;
  const info = GL.textures.get(found[0].key), { table } = found[0];
  const shape = S.hello.shape, isPlane = shape.form !== "cells", { made, places } = programFor(isPlane, found.length);
  gl.useProgram(made);
  const tables = tablesOf(found.map((each) => each.table)); // new textures are bound where they are made, so before the others are
  found.forEach((each, i) => {
    gl.activeTexture(gl.TEXTURE0 + i); gl.bindTexture(gl.TEXTURE_2D, GL.textures.get(each.key).texture); gl.uniform1i(places[`values${i}`], i);
    gl.uniform1f(places[`opacity${i}`], each.opacity);
  });
  gl.activeTexture(gl.TEXTURE0 + found.length); gl.bindTexture(gl.TEXTURE_2D, tables); gl.uniform1i(places.tables, found.length);
  gl.activeTexture(gl.TEXTURE0);
  gl.uniform4fv(places.camera, camera);
  if (isPlane) {
    gl.uniform4fv(places.extent, info.extent || shape.extent);
    gl.uniform1f(places.has_edges, table.startsWith("#walls") ? 1 : 0);
    gl.uniform1f(places.turned, shape.form === "grid" && shape.y_up ? 1 : 0);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    return;
  }
  if (!GL.geometry) return;
  gl.bindVertexArray(GL.geometry.array);
  const isDots = GL.geometry.dots > 0;
  gl.uniform1f(places.round, isDots ? 1 : 0);
  gl.uniform1f(places.dot_size, Math.max(0.6 * shape.reach * S.camera.zoom * ratio, 3));
  gl.drawArrays(isDots ? gl.POINTS : gl.TRIANGLES, 0, isDots ? GL.geometry.dots : GL.geometry.triangles);
  gl.bindVertexArray(null);
}
function paintEdges(camera) {
  gl.useProgram(EDGES.made); gl.bindVertexArray(GL.geometry.array);
  gl.uniform4fv(EDGES.places.camera, camera); gl.uniform4f(EDGES.places.ink, 0.45, 0.48, 0.55, 0.6);
  gl.drawElements(gl.LINES, 2 * GL.geometry.edges, gl.UNSIGNED_INT, 0);
  gl.bindVertexArray(null);
}
