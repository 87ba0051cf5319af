// The content of the site: site.json, as `keras-qa demo` writes it.

const VIEWS = ["weights", "numbers", "map", "blocks", "points"];

/** Reads and checks site.json. */
export async function readSite(url = new URL("site.json", document.baseURI)) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error("site.json cannot be read");
  return check(await answer.json());
}

/** The site, if the page can show it. */
export function check(site) {
  if (site?.version !== 1) {
    throw new Error(`site.json must have the version 1, not ${site?.version}`);
  }
  if (!Array.isArray(site.rankers) || site.rankers.length === 0) {
    throw new Error("site.json names no rankers");
  }
  return {
    ...site,
    // Views of a later version are left out.
    rankers: site.rankers.map((ranker) => ({
      ...ranker,
      views: (ranker.views ?? []).filter((v) => VIEWS.includes(v.kind)),
    })),
    questions: site.questions ?? [],
  };
}
