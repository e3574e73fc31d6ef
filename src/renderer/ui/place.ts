/** A title and the headings below it, as one line; the title is not said twice. */
export function placeLine({
  title = '',
  heading = [],
}: {
  title?: string | undefined;
  heading?: readonly string[] | undefined;
}): string {
  return [title, ...heading.filter((part) => part !== title)].filter(Boolean).join(' › ');
}
