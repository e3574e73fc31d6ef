import MarkdownIt, { type Env } from 'markdown-it';

const renderer = new MarkdownIt({ html: false, linkify: false, breaks: false });

/**
 * Characters of one paragraph, or line of a table, whose inline syntax is read: some links take quadratic time to be told from text. No
 * paragraph that somebody writes is as long as eight pages.
 */
const MOST_INLINE_CHARACTERS = 20_000;
/** Lines and cells of a text that is laid out: each is an element of the page, and so many take the window a moment. */
const MOST_PARTS = 20_000;
/** While a text grows, its last block is parsed again at each step up to this length, and then less and less often. */
const PARSED_AT_EACH_STEP = 20_000;
const GROWTH = 1.25;

renderer.inline.ruler.before('text', 'long', (state, silent) => {
  if (state.src.length <= MOST_INLINE_CHARACTERS) return false;
  if (!silent) state.pending += state.src.slice(state.pos);
  state.pos = state.posMax;
  return true;
});

/** A text as it is written, in lines. */
function plain(source: string): string {
  return source === '' ? '' : `<pre>${renderer.utils.escapeHtml(source)}</pre>\n`;
}

const LINE_FEED = '\n'.charCodeAt(0);
const BAR = '|'.charCodeAt(0);

/** Has a text so many parts that it is shown as it is written? */
function isTooRich(source: string): boolean {
  let parts = 0;
  for (let at = 0; at < source.length; at += 1) {
    const character = source.charCodeAt(at);
    if (character === LINE_FEED || character === BAR) parts += 1;
  }
  return parts > MOST_PARTS;
}

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
  return isTooRich(source) ? plain(source) : renderer.render(source);
}

type Parse = (source: string, env: Env) => { starts: number[]; html: string };

/** Parses a text; gives the first line of each of its top-level blocks, and its HTML, not sanitised. */
function parseBlocks(source: string, env: Env): { starts: number[]; html: string } {
  if (isTooRich(source)) return { starts: [], html: plain(source) };
  const tokens = renderer.parse(source, env);
  const starts = tokens.flatMap(({ level, nesting, map }) =>
    level === 0 && nesting >= 0 && map ? [map[0]] : [],
  );
  return { starts, html: renderer.renderer.render(tokens, renderer.options, env) };
}

/**
 * A Markdown text that grows at its end. Text that is added can change the last top-level block only (a paragraph becomes a
 * heading, a list goes on), so the blocks before it are rendered once. One thing escapes this: a link whose definition comes
 * later. Of a very long block, what came last is shown as it is written. Render the whole text once it is complete.
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
  /** How much of the source was parsed when the last block was parsed last. */
  #parsedTo = 0;
  /** What came since, shown as it is written. */
  #tail = '';

  constructor(parse: Parse = parseBlocks) {
    this.#parse = parse;
  }

  /** HTML of the text as it stands, not sanitised: the blocks that will not change, then the last one. */
  update(source: string): { settled: readonly string[]; last: string } {
    if (source !== this.#source) this.#grow(source);
    return { settled: this.#settled, last: this.#last + plain(this.#tail) };
  }

  #grow(source: string): void {
    if (!source.startsWith(this.#source)) {
      this.#env = {};
      this.#settled = [];
      this.#lastAt = 0;
      this.#parsedTo = 0;
    }
    this.#source = source;
    const rest = source.slice(this.#lastAt);
    if (rest.length > PARSED_AT_EACH_STEP && rest.length < GROWTH * (this.#parsedTo - this.#lastAt)) {
      this.#tail = source.slice(this.#parsedTo);
      return;
    }
    this.#tail = '';
    this.#parsedTo = source.length;
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
