/**
 * The address that opens a note in Obsidian, in a new tab, at its heading. The vault goes by its id where Obsidian knows
 * it, since names collide.
 */
export function obsidianUrl(
  vault: { name: string; obsidianId: string | null },
  path: string,
  heading: readonly string[] = [],
): string {
  const file = path.replace(/\.md$/i, '');
  // Obsidian drops these characters from a heading in a link.
  const anchor =
    heading.length > 0 ? `#${heading.map((part) => part.replace(/[#|^:%[\]]+/g, ' ').trim()).join('#')}` : '';
  const parameters = [
    ['vault', vault.obsidianId ?? vault.name],
    ['file', file + anchor],
    ['openmode', 'tab'],
  ];
  return `obsidian://open?${parameters.map(([key, value]) => `${key}=${encodeURIComponent(value ?? '')}`).join('&')}`;
}
