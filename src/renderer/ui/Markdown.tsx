import DOMPurify from 'dompurify';
import MarkdownIt from 'markdown-it';
import { useMemo } from 'react';

const renderer = new MarkdownIt({ html: false, linkify: false, breaks: false });

/** Nothing remote loads: an image shows its text only. */
renderer.renderer.rules.image = (tokens, index) => {
  const token = tokens[index];
  return `<em>${renderer.utils.escapeHtml(token?.content || 'image')}</em>`;
};

/** Wikilinks and embeds, as Obsidian writes them, show their text. */
renderer.inline.ruler.before('link', 'wikilink', (state, silent) => {
  const match = /^!?\[\[([^[\]|\n]{1,500})(?:\|([^[\]\n]{1,500}))?\]\]/.exec(
    state.src.slice(state.pos, state.pos + 1_010),
  );
  if (!match) return false;
  if (!silent) {
    const token = state.push('wikilink', 'span', 0);
    token.content = (match[2] ?? match[1] ?? '').trim();
  }
  state.pos += match[0].length;
  return true;
});
renderer.renderer.rules.wikilink = (tokens, index) =>
  `<span class="wikilink">${renderer.utils.escapeHtml(tokens[index]?.content ?? '')}</span>`;

const TAGS =
  'p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong s a span table thead tbody tr th td'.split(
    ' ',
  );

/** Links open outside, and only on the web. */
function toHtml(markdown: string): string {
  const html = DOMPurify.sanitize(renderer.render(markdown), {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ['href', 'class', 'start'],
    ALLOWED_URI_REGEXP: /^https:\/\//i,
  });
  return html.replaceAll('<a href="', '<a target="_blank" rel="noopener noreferrer" href="');
}

/** A passage of a note, rendered and made safe. */
export function Markdown({ source }: { source: string }) {
  const html = useMemo(() => toHtml(source), [source]);
  // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitised by DOMPurify just above, and no HTML comes through markdown-it.
  return <div className="note-text" dangerouslySetInnerHTML={{ __html: html }} />;
}
