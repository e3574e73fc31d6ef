import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The body of a start page's request: one field with a token. */
const BODY = /^token=([\w-]+)$/;
const MOST_BYTES = 200;
const FORM = 'application/x-www-form-urlencoded';

/**
 * Pages that open a window in a browser: each hands its token to the host in the body of a request. The arguments of a program can be
 * read by every user of the computer, and a browser keeps addresses in its history; a file of mode 0600 is neither.
 */
export class StartPages {
  readonly #folder: string;
  /** Path by token. */
  readonly #pages = new Map<string, string>();

  /** @param folder of these pages alone: what an earlier owner left in it is removed */
  constructor(folder: string) {
    this.#folder = folder;
    this.clear();
  }

  /** Writes a page that hands `token` to the host at `origin`. Returns its `file:` address. */
  write(origin: string, token: string): string {
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const path = join(this.#folder, `${randomBytes(8).toString('hex')}.html`);
    this.#pages.set(token, path);
    writeFileSync(path, page(origin, token), { mode: 0o600, flag: 'wx' });
    return pathToFileURL(path).href;
  }

  /** The token was presented: its page is removed. */
  used(token: string): void {
    const path = this.#pages.get(token);
    if (path === undefined) return;
    this.#pages.delete(token);
    rmSync(path, { force: true });
  }

  clear(): void {
    this.#pages.clear();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** @param token base64url, so it needs no escaping */
function page(origin: string, token: string): string {
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<title>Souvenir</title>
<form method="post" action="${origin}/"><input type="hidden" name="token" value="${token}"></form>
<script>document.forms[0].submit()</script>
`;
}

/**
 * Reads the token that a start page hands over. Browsers call the origin of a file `null`, so a page of any other origin is refused.
 * @returns null if the request is not that of a start page
 */
export async function readHandedToken(request: IncomingMessage): Promise<string | null> {
  const { origin, 'content-type': type, 'content-length': length } = request.headers;
  if (request.method !== 'POST' || request.url !== '/' || origin !== 'null' || type !== FORM) return null;
  if (!(Number(length) <= MOST_BYTES)) return null;
  let body = '';
  for await (const part of request) body += (part as Buffer).toString('latin1');
  return BODY.exec(body)?.[1] ?? null;
}
