// Order of search results: guides first, then the API, then decisions.
var Scorer = {
  score: ([docname, title, anchor, description, score]) =>
    docname.startsWith("decisions/") ? score - 200 : docname.startsWith("api/") ? score - 100 : score,
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
