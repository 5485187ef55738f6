// Sources and units as discs, drawn by WebGL with the maps: a canvas on top would be composited anew with each frame.
const MARKS = program(`#version 300 es
uniform vec4 camera; uniform float ratio; layout(location=0) in vec2 place; layout(location=1) in vec2 shape; layout(location=2) in vec4 fill; layout(location=3) in vec3 rim;
flat out vec2 sizes; flat out vec4 inner; flat out vec3 outer;
void main(){sizes=shape*ratio;inner=fill;outer=rim;gl_PointSize=2.*(sizes.x+sizes.y)+2.;gl_Position=vec4((place-camera.xy)*camera.zw,0,1);}`,
`#version 300 es
precision highp float;flat in vec2 sizes;flat in vec4 inner;flat in vec3 outer;out vec4 o;
void main(){float wide=2.*(sizes.x+sizes.y)+2.,r=length(gl_PointCoord-.5)*wide,line=clamp(.5+sizes.y*.5-abs(r-sizes.x),0.,1.),body=clamp(sizes.x+.5-r,0.,1.)*inner.a;
o=vec4(mix(inner.rgb,outer,line),max(line,body));}`);
const MARK = 11; // numbers of a mark: place, radius and rim in pixels of the page, fill with opacity, color of the rim

const channels = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16) / 255);
const DARK = channels("#0b0d10"), WHITE = [1, 1, 1], KEYED = channels("#9aa0ac"), BELOW = channels("#6fb7ff");
function sourcesOf(side) { // of the layers that are shown; of all where only maps that follow from layers are
  const all = S.sources[sideOfPane(side)] || {}, shown = new Set(shownViews().map((view) => view.map)), isFollowing = !Object.keys(S.hello.layers).some((layer) => shown.has(layer));
  return Object.entries(all).filter(([layer, info]) => info.marks || shown.has(layer) || layer === S.layer || isFollowing);
}
function fillOf(layer, strength, keyed) { // sources have the color of their team
  const team = teamOf(layer);
  if (team) return channels(team[1]);
  return keyed ? KEYED : strength < 0 ? BELOW : WHITE;
}
const isAmong = (chosen, layer, source) => Boolean(chosen && chosen.layer === layer && chosen.source === source);
function marksOf(pane) {
  const rows = [];
  if (!S.showSources) return new Float32Array();
  const count = sourcesOf(pane.side).reduce((sum, [, info]) => sum + (info.sources || []).length, 0);
  const size = Math.min(5.5, Math.max(1.2, 0.14 * Math.sqrt((pane.width * pane.height) / Math.max(count, 1)))); // many discs are small, so that the map stays visible
  for (const [layer, info] of sourcesOf(pane.side)) {
    for (const [x, y, size, color, alpha] of info.marks || []) rows.push(x, y, Math.max((size * S.camera.zoom) / 2, 2), 0.7, ...channels(color), alpha ?? 1, ...DARK);
    for (const [id, x, y, strength, keyed] of info.sources || []) {
      const isLit = isAmong(S.lit, layer, id), isMarked = isLit || isAmong(S.selected, layer, id);
      rows.push(x, y, isLit ? 9 : isMarked ? 5.5 : size, isMarked ? 3 : Math.min(1.5, size / 3), ...fillOf(layer, strength, keyed), 1, ...(isMarked ? WHITE : keyed ? KEYED : DARK));
    }
  }
  return new Float32Array(rows);
}
function paintMarks(pane, index, camera, ratio) {
  const made = (GL.marks[index] ||= { buffer: gl.createBuffer(), array: gl.createVertexArray(), count: 0, isOld: true });
  gl.bindVertexArray(made.array);
  if (made.isOld) {
    const marks = marksOf(pane);
    gl.bindBuffer(gl.ARRAY_BUFFER, made.buffer); gl.bufferData(gl.ARRAY_BUFFER, marks, gl.DYNAMIC_DRAW);
    [[2, 0], [2, 2], [4, 4], [3, 8]].forEach(([size, at], i) => { gl.enableVertexAttribArray(i); gl.vertexAttribPointer(i, size, gl.FLOAT, false, 4 * MARK, 4 * at); });
    made.count = marks.length / MARK; made.isOld = false;
  }
  gl.useProgram(MARKS.made);
  gl.uniform4fv(MARKS.places.camera, camera); gl.uniform1f(MARKS.places.ratio, ratio);
  gl.drawArrays(gl.POINTS, 0, made.count);
  gl.bindVertexArray(null);
}
