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
$("ask").onclick = () => chooseTool(S.tool === "ask" ? "inspect" : "ask");
const askAgain = () => { if (S.question) ask(S.question.position, S.question.side); };
$("question").addEventListener("input", (() => { let timer = 0; return () => { clearTimeout(timer); timer = setTimeout(askAgain, 250); }; })());
