// Orders what a search finds: who looks for a name of Python's or C++'s finds its own entry first.
const searched = (new URLSearchParams(window.location.search).get("q") ?? "").trim().toLowerCase();

var Scorer = {
  score: ([page, name, anchor, description, score, file, kind]) => {
    if (kind !== "object") return score;
    const parts = name.toLowerCase().split(/\.|::/);
    const isName = parts.at(-1) === searched || name.toLowerCase() === searched;
    return score + (isName ? 100 : 0) - parts.length; // usmx.copy before usmx.USMArray.copy
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
