import MarkdownIt, { type Env } from 'markdown-it';

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

/** HTML of a Markdown text, not sanitised. */
export function renderMarkdown(source: string): string {
  return renderer.render(source);
}

type Parse = (source: string, env: Env) => { starts: number[]; html: string };

/** Parses a text; gives the first line of each of its top-level blocks, and its HTML, not sanitised. */
function parseBlocks(source: string, env: Env): { starts: number[]; html: string } {
  const tokens = renderer.parse(source, env);
  const starts = tokens.flatMap(({ level, nesting, map }) =>
    level === 0 && nesting >= 0 && map ? [map[0]] : [],
  );
  return { starts, html: renderer.renderer.render(tokens, renderer.options, env) };
}

/**
 * A Markdown text that grows at its end. Text that is added can change the last top-level block only (a paragraph becomes a
 * heading, a list goes on), so the blocks before it are rendered once. One thing escapes this: a link whose definition comes
 * later. Render the whole text once it is complete.
 */
export class GrowingMarkdown {
  readonly #parse: Parse;
  /** Link definitions of the settled blocks: they hold in later ones. */
  #env: Env = {};
  #source = '';
  #settled: readonly string[] = [];
  /** Where the last block begins in the source. */
  #lastAt = 0;
  #last = '';

  constructor(parse: Parse = parseBlocks) {
    this.#parse = parse;
  }

  /** HTML of the text as it stands, not sanitised: the blocks that will not change, then the last one. */
  update(source: string): { settled: readonly string[]; last: string } {
    if (source !== this.#source) this.#grow(source);
    return { settled: this.#settled, last: this.#last };
  }

  #grow(source: string): void {
    if (!source.startsWith(this.#source)) {
      this.#env = {};
      this.#settled = [];
      this.#lastAt = 0;
    }
    this.#source = source;
    const rest = source.slice(this.#lastAt);
    const { starts, html } = this.#parseUnsettled(rest);
    this.#last = html;
    const lastStart = starts.at(-1);
    if (starts.length < 2 || lastStart === undefined) return;
    const cut = offsetOfLine(rest, lastStart);
    this.#settled = [...this.#settled, this.#parse(rest.slice(0, cut), this.#env).html];
    this.#last = this.#parseUnsettled(rest.slice(cut)).html;
    this.#lastAt += cut;
  }

  /** Parses text that may change yet: a definition that is half written is not kept. */
  #parseUnsettled(source: string) {
    return this.#parse(source, { references: { ...this.#env.references } });
  }
}

/** Offset of the first character of a line, counted from 0. */
function offsetOfLine(text: string, line: number): number {
  let offset = 0;
  for (let n = 0; n < line; n += 1) offset = text.indexOf('\n', offset) + 1;
  return offset;
}
