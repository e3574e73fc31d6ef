/** Notes of 100,000 lines and more, by what they are full of. */
export const LARGE = {
  lines: () => Array.from({ length: 100_000 }, (_, index) => `Ligne numéro ${index} du carnet.`).join('\n'),
  list: () => Array.from({ length: 100_000 }, (_, index) => `- point numéro ${index}`).join('\n'),
  headings: () => Array.from({ length: 100_000 }, (_, index) => `## Titre ${index}`).join('\n'),
  links: () => '[[a]] [b](c.md) #tag\n'.repeat(100_000),
  table: () => `|a|b|\n|-|-|\n${'|x|y|\n'.repeat(100_000)}`,
  paragraphs: () => '\n\na'.repeat(1_600_000),
  oneLine: () => 'mot '.repeat(1_200_000),
  heading: () => `# ${'mot '.repeat(1_000_000)}\n\n${'a\n\n'.repeat(100_000)}`,
  yaml: () => `---\n${Array.from({ length: 5_000 }, (_, index) => `k${index}: [*a, *a]`).join('\n')}\n---\n`,
};
