/** A title and the headings below it on one line. A heading that repeats the title is left out. */
export function placeLine({
  title = '',
  heading = [],
}: {
  title?: string | undefined;
  heading?: readonly string[] | undefined;
}): string {
  return [title, ...heading.filter((part) => part !== title)].filter(Boolean).join(' › ');
}
