/** Hands every link on the web that the user follows under `root` to `open`, instead of following it here. */
export function openLinksOutside(root: Document, open: (url: string) => void): void {
  const take = (event: MouseEvent) => {
    if (!event.isTrusted || !(event.target instanceof Element)) return;
    const link = event.target.closest<HTMLAnchorElement>('a[href^="https:" i]');
    if (!link) return;
    event.preventDefault();
    // The right button opens a menu.
    if (event.button !== 2) open(link.href);
  };
  // A key that follows a link arrives as a click, the middle button as `auxclick`.
  for (const name of ['click', 'auxclick'] as const) root.addEventListener(name, take);
}
