/** Of a message: more are no wish to find exactly these words. */
const MOST_PHRASES = 4;
/** Characters of a phrase. A longer quotation is a pasted text. */
const LONGEST = 120;
const QUOTED = new RegExp(
  [`"([^"\\n]{2,${LONGEST}})"`, `“([^”\\n]{2,${LONGEST}})”`, `«([^»\\n]{2,${LONGEST}})»`].join('|'),
  'gu',
);

/** What stands between quotation marks in a text ("…", “…” or « … »), without them. */
export function quotedPhrases(text: string): string[] {
  const found = [...text.matchAll(QUOTED)].flatMap(([, ...groups]) =>
    groups.flatMap((group) => group?.trim() || []),
  );
  return found.filter((phrase) => /[\p{L}\p{N}]/u.test(phrase)).slice(0, MOST_PHRASES);
}
