/**
 * The address that opens a note at its heading, in a new tab of Obsidian. It names the vault by its id if Obsidian knows it,
 * because names may collide.
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
