// A question as TOML, asked by an agent at a place of the map: edited here, answered while time goes on.
function defaultQuestion() {
  const name = Object.entries(S.sources[S.side] || {}).filter(([, info]) => (info.sources || []).length).map(([layer]) => layer)[0];
  const require = name ? `require = [{ hidden_from = "${name}" }]\n` : "";
  return `[place]\ngenerate = { reach = 8 }\n${require}score = [{ distance = "me", curve = ["linear", 8, 0] }]\n`;
}
function ask(position, side) {
  if (!$("question").value) $("question").value = defaultQuestion();
  const text = $("question").value;
  const onAnswer = (answer) => {
    const error = answer.error || "";
    $("question-error").textContent = error; $("question-error").hidden = !error;
    if (!answer.question) return;
    S.question = { ...answer.question, position, side };
    $("question-answer").textContent = answer.question.text;
    redraw();
  };
  onAnswer.quiet = true;
  send({ do: "ask", position, text, side }, onAnswer);
}
function candidateAt(at) { // the number of the candidate under the pointer
  if (!S.question || S.question.side !== sideOfPane(at.pane.side)) return null;
  let found = null, least = 8;
  S.question.places.forEach(([x, y], i) => {
    const [sx, sy] = toScreen(at.pane, x, y), gap = Math.hypot(sx - at.x, sy - at.y);
    if (gap < least) { least = gap; found = i; }
  });
  return found;
}
function candidateRows() { // why a question scores a candidate as it does: a bar for each part of the score
  const { name, terms, scores, parts, removed_by: reasons } = S.question, i = S.candidate;
  if (i === null || i === undefined || i >= scores.length) return [];
  if (scores[i] === null) return [make("p", { class: "candidate" }, `Question ${name}: removed by ${reasons[i]}`)];
  const most = Math.max(...parts[i].map(Math.abs), 1e-30);
  return [make("div", { class: "candidate" }, make("span", { class: "big" }, short(scores[i])), ` score in question ${name}`),
    ...terms.map((term, k) => make("div", { class: "bar" }, make("span", {}, term), meterOf(parts[i][k], most), make("output", {}, short(parts[i][k]))))];
}
$("ask").onclick = () => chooseTool(S.tool === "ask" ? "inspect" : "ask");
const askAgain = () => { if (S.question) ask(S.question.position, S.question.side); };
$("question").addEventListener("input", (() => { let timer = 0; return () => { clearTimeout(timer); timer = setTimeout(askAgain, 250); }; })());
