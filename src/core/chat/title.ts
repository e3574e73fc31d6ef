const TITLE_CHARACTERS = 60;

/** A conversation's first title: the first line of its first message, cut after a word. */
export function titleOf(text: string): string {
  const line = (text.trim().split('\n')[0] ?? '').trim();
  if (line.length <= TITLE_CHARACTERS) return line;
  const cut = line.slice(0, TITLE_CHARACTERS);
  const space = cut.lastIndexOf(' ');
  return `${space > TITLE_CHARACTERS / 2 ? cut.slice(0, space) : cut}…`;
}
