const RULE = /^[\s|:-]*--[\s|:-]*$|^[\s|:-]*\|[\s|:-]*$/;
const FENCE = /^\s*(?:`{3,}|~{3,})/;

/**
 * A passage's Markdown as plain text: no syntax, no link addresses, the same lines. Every pattern runs in time linear in the
 * length of its line.
 */
export function toPlainText(markdown: string): string {
  const lines: string[] = [];
  let inCode = false;
  for (const line of markdown.replace(/<!--[\s\S]*?-->/g, ' ').split('\n')) {
    if (FENCE.test(line)) {
      inCode = !inCode;
      continue;
    }
    if (!inCode && RULE.test(line)) continue;
    // Runs of spaces go first: patterns that look for them would take quadratic time.
    const spaced = line.replace(/\s+/g, ' ');
    const text = (inCode ? spaced : readable(blockText(spaced))).replace(/ +/g, ' ').trim();
    if (text !== '') lines.push(text);
  }
  return lines.join('\n');
}

/** Keeps code between backticks as it is: there, `[[name]]` is not a link. */
function readable(line: string): string {
  return line
    .split(/(`[^`]*`)/)
    .map((part) =>
      part.startsWith('`') && part.endsWith('`') && part.length > 1 ? part.slice(1, -1) : inlineText(part),
    )
    .join('');
}

function blockText(line: string): string {
  let text = line.replace(/^(?:\s*>)+\s?/, '');
  text = text.replace(/^\s*\[!([\w-]+)\][+-]?\s*/, '');
  text = text.replace(/^\s*(?:[-*+]|\d{1,9}[.)])\s+(?:\[.\]\s+)?/, '');
  // Containers of site generators (`::: tip`).
  text = text.replace(/^\s*:{3,}\s*/, '');
  text = text.replace(/^\s*#{1,6}\s+/, '').replace(/\s+#+\s*$/, '');
  if (text.includes('|') && /^\s*\|.*\|\s*$/.test(text)) text = text.replaceAll('|', ' ');
  return text.replace(/\s\^[\w-]+\s*$/, '').replace(/%%/g, ' ');
}

function inlineText(line: string): string {
  return line
    .replace(/!?\[\[([^[\]|\n]{0,500})(?:\|([^[\]\n]{0,500}))?\]\]/g, (_, target: string, display?: string) =>
      (display ?? target.replace(/^#/, '').replace(/#\^?/g, ' › ')).trim(),
    )
    .replace(
      /!?\[([^[\]\n]{0,1000})\]\([^()\s]{0,2000}(?:\([^()\s]{0,500}\)[^()\s]{0,500})?(?:\s+"[^"\n]{0,300}")?\)/g,
      '$1',
    )
    .replace(/\[\^[^\]\s]{1,100}\]:?/g, '')
    .replace(/<\/?[a-zA-Z][^<>]{0,500}>/g, ' ')
    .replace(/\*\*|~~|==/g, '')
    .replace(/(^|[^\p{L}\p{N}])__?(?=\S)|__?(?=$|[^\p{L}\p{N}])/gu, '$1')
    .replace(/(^|[^\\*])\*(?=\S)|(?<=\S)\*(?=[^*]|$)/g, '$1')
    .replace(/`+/g, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1');
}
