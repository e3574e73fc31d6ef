import type { Citation, ReplyVersion } from './contract/chat.ts';
import { quotedLine } from './oneLine.ts';

/** A reply as Markdown: the model's text or the passages, with sources as Obsidian links. */
export function replyMarkdown(reply: Pick<ReplyVersion, 'content' | 'citations'>): string {
  if (reply.content === '') return reply.citations.map(toMarkdownQuote).join('\n\n');
  return reply.citations.reduce(
    (text, { ordinal, path, heading }) =>
      path === undefined ? text : text.replaceAll(`[${ordinal}]`, () => wikilink(path, heading.at(-1))),
    reply.content,
  );
}

/** The text of a citation as a quote, its source as an Obsidian link. */
function toMarkdownQuote(citation: Citation): string {
  const quote = citation.excerpt
    .split('\n')
    .map((line) => `> ${line}`)
    .join('\n');
  if (citation.path === undefined) return `${quote}\n> ${quotedLine(citation.title)}`;
  return `${quote}\n> ${wikilink(citation.path, citation.heading.at(-1))}`;
}

/** A link of Obsidian; a name cannot end it, nor its line. */
function wikilink(path: string, heading = ''): string {
  const name = `${path.replace(/\.md$/i, '')}${heading === '' ? '' : `#${heading}`}`;
  return `[[${quotedLine(name).replace(/[[\]|]/g, ' ')}]]`;
}
