import DOMPurify from 'dompurify';
import { memo, useMemo, useState } from 'react';
import { GrowingMarkdown, renderMarkdown } from './parseMarkdown.ts';

const TAGS =
  'p br hr h1 h2 h3 h4 h5 h6 ul ol li blockquote pre code em strong s a span table thead tbody tr th td'.split(
    ' ',
  );

/** Makes HTML safe: links open outside, and only on the web. */
function sanitise(html: string): string {
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ['href', 'class', 'start'],
    ALLOWED_URI_REGEXP: /^https:\/\//i,
  }).replaceAll('<a href="', '<a target="_blank" rel="noopener noreferrer" href="');
}

/** A Markdown text, rendered and made safe. */
export const Markdown = memo(function Markdown({ source }: { source: string }) {
  const html = useMemo(() => renderMarkdown(source), [source]);
  return (
    <div className="note-text">
      <Block html={html} />
    </div>
  );
});

/** The same while the text is being written: only its last block is parsed again. */
export function StreamedMarkdown({ source }: { source: string }) {
  const [markdown] = useState(() => new GrowingMarkdown());
  const { settled, last } = markdown.update(source);
  return (
    <div className="note-text">
      {settled.map((html, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only ever added at the end.
        <Block key={index} html={html} />
      ))}
      <Block key="last" html={last} />
    </div>
  );
}

const Block = memo(function Block({ html }: { html: string }) {
  const safe = useMemo(() => sanitise(html), [html]);
  // biome-ignore lint/security/noDangerouslySetInnerHtml: sanitised just above, and no HTML comes through markdown-it.
  return <div className="note-block" dangerouslySetInnerHTML={{ __html: safe }} />;
});
