import MarkdownIt, { type Token } from 'markdown-it';

export type { Token };

/** The type of a token of which nothing is known but that it is there. */
const UNREAD = '';

/** Keeps the tokens that tell where blocks begin. The others, two thirds of them, are one and the same token. */
class LeanState extends MarkdownIt.StateBlock {
  readonly #unread = new this.Token(UNREAD, '', 0);

  override push(type: string, tag: string, nesting: Token['nesting']): Token {
    if (this.#isRead(type, nesting)) return super.push(type, tag, nesting);
    this.level += nesting;
    this.tokens.push(this.#unread);
    return this.#unread;
  }

  #isRead(type: string, nesting: Token['nesting']): boolean {
    if (nesting < 0 || type === 'td_open' || type === 'th_open') return false;
    return type !== 'inline' || this.tokens.at(-1)?.type === 'heading_open';
  }
}

const markdown = new MarkdownIt({ html: true });
markdown.block.State = LeanState;

/**
 * The tokens at which blocks begin, in order, and after that of a heading one with its text. Only the structure of blocks is read:
 * inline parsing would take most of the time.
 */
export function blockTokens(body: string): Token[] {
  const tokens: Token[] = [];
  markdown.block.parse(body, markdown, {}, tokens);
  return tokens.filter((token) => token.type !== UNREAD);
}
