// Order of search results: headings that are named after the word, then the class or function of that
// name, then guides, the API and decisions.
const asked = (new URLSearchParams(window.location.search).get("q") || "").trim().toLowerCase();

var Scorer = {
  score: ([docname, title, anchor, description, score]) => {
    if (docname.startsWith("decisions/")) return score - 200;
    if (!docname.startsWith("api/")) return score;
    return title.split(".").pop().toLowerCase() === asked ? score + 40 : score - 100;
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
