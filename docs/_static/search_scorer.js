// Orders what a search finds: who looks for a name of Python's or C++'s finds its own entry first.
const searched = (new URLSearchParams(window.location.search).get("q") ?? "").trim().toLowerCase();

// Pages for those who work on usmx itself come after those for its users.
const forDevelopers =
  /^(README|adoption|architecture|changelog|concurrency|copy-engine|decisions|kernels$|peers|protocol|releasing)/;

// The page that helps with what people search for in words that no title has.
const helps = {
  "install": /^no (gpu |cpu )?devices?( found| available)?$/,
  "how-to/timing": /^(%?timeit|benchmark(s|ing)?|profil(e|er|ing)|slow|first call)$/,
  "how-to/dlpack": /^(py)?torch( tensors?)?$/,
  "limits": /^(hang(s|ing)?|deadlocks?|freezes?)$/,
  "memory": /^(out of (device )?memory|oom|memory (leak|limit)s?)$/,
};

// A page whose title has the word is about it: GPUs for "gpu", and most of all one whose title begins
// with it. A function comes before it, and what only has the word as the last part of its name, such
// as a member of an enumeration, after it.
function bonus(page, name, kind, anchor) {
  const title = name.toLowerCase();
  if (kind !== "object") {
    if (helps[page]?.test(searched)) {
      return anchor ? 90 : 300;
    }
    if (title === searched) {
      return 200;
    }
    const words = title.split(/[^\w]+/);
    const place = words.findIndex((word) => word === searched || word === searched + "s");
    const less = forDevelopers.test(page) ? 40 : 0;
    return (place < 0 || anchor ? 0 : place === 0 ? 95 : 80) - less;
  }
  const parts = title.split(/\.|::/);
  const isName = parts.at(-1) === searched || title === searched;
  return (isName ? (parts.length === 2 ? 100 : 60) : 0) - parts.length;
}

// The index has a template's brackets as a page would write them.
const readable = (name) => name.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&");

var Scorer = {
  score: (result) => {
    const [page, name, anchor, description, score, file, kind] = result;
    result[1] = readable(name);
    return score + bonus(page, name, kind, anchor);
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
