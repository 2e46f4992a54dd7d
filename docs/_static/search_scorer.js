// Orders what a search finds: who looks for a name of Python's or C++'s finds its own entry first.
const searched = (new URLSearchParams(window.location.search).get("q") ?? "").trim().toLowerCase();

// A page whose title has the word is about it: GPUs for "gpu", and most of all one whose title begins
// with it. A function comes before it, and what only has the word as the last part of its name, such
// as a member of an enumeration, after it.
function bonus(name, kind, anchor) {
  const title = name.toLowerCase();
  if (kind !== "object") {
    const words = title.split(/[^\w]+/);
    const place = words.findIndex((word) => word === searched || word === searched + "s");
    if (title === searched) {
      return 200;
    }
    return place < 0 || anchor ? 0 : place === 0 ? 95 : 80;
  }
  const parts = title.split(/\.|::/);
  const isName = parts.at(-1) === searched || title === searched;
  return (isName ? (parts.length === 2 ? 100 : 60) : 0) - parts.length;
}

var Scorer = {
  score: ([page, name, anchor, description, score, file, kind]) =>
    score + bonus(name, kind, anchor),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
