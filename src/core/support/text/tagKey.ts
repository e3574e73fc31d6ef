/** The form in which tags are compared: Obsidian ignores case, and `#` is not part of the name. */
export function tagKey(tag: string): string {
  return tag.replace(/^#/, '').normalize('NFC').toLowerCase();
}
