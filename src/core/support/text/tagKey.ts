/** A tag as it is compared: Obsidian takes no account of case, and `#` does not belong to the name. */
export function tagKey(tag: string): string {
  return tag.replace(/^#/, '').normalize('NFC').toLowerCase();
}
