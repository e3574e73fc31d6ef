import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { STORED_TOKEN } from '../shared/storedToken.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};

/** The paths that a build may contain: a few plain names, short enough for any file system, none of which begins with a dot. */
const PLAIN_PATH = /^(?:\/[\w-][\w.-]{0,99}){1,8}$/;

export interface WindowFile {
  body: Buffer;
  headers: Record<string, string>;
}

/**
 * Reads a file of the built window and gives it a type, the security headers and, for a page, a fresh nonce. Every host uses
 * it.
 * @param path path of an address, such as `/` or `/assets/index.js`; anything after `?` or `#` is ignored
 * @returns null if there is no such file. No other path reaches the file system.
 */
export function windowFile(dir: string, path: string): WindowFile | null {
  const [plain = '/'] = path.split(/[?#]/, 1);
  const name = plain === '/' ? '/index.html' : plain;
  const type = TYPES[extname(name)];
  if (!type || !PLAIN_PATH.test(name)) return null;
  const nonce = randomBytes(16).toString('base64');
  const content = read(join(dir, name));
  if (!content) return null;
  const body = type.startsWith('text/html')
    ? Buffer.from(content.toString('utf8').replaceAll('__NONCE__', nonce))
    : content;
  return { body, headers: { ...securityHeaders(windowPolicy(nonce)), 'Content-Type': type } };
}

function read(file: string): Buffer | null {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'ENOENT' || code === 'EISDIR' || code === 'ENOTDIR') return null;
    throw error;
  }
}

/**
 * The answer to a start page: it leaves a token to its tab, and gives way to the window at once. What the browser writes down of its tabs
 * includes the form that a page came from, with the token in it; this page is gone before that is due, the window takes longer to load.
 * @param token base64url, so it needs no escaping; null if the window gets none, and says so
 */
export function handOverPage(token: string | null): WindowFile {
  const nonce = randomBytes(16).toString('base64');
  const keep =
    token === null
      ? `sessionStorage.removeItem('${STORED_TOKEN}')`
      : `sessionStorage.setItem('${STORED_TOKEN}', '${token}')`;
  const page = `<!doctype html>
<meta charset="utf-8">
<meta name="color-scheme" content="light dark">
<title>Souvenir</title>
<script nonce="${nonce}">history.replaceState(null, '', '/'); ${keep}; location.replace('/')</script>
`;
  const policy = [`script-src 'nonce-${nonce}'`];
  return {
    body: Buffer.from(page),
    headers: { ...securityHeaders(policy), 'Content-Type': TYPES['.html'] as string },
  };
}

/** Mantine's own style element carries the nonce; some styles are set as attributes. Nothing loads from elsewhere. */
function windowPolicy(nonce: string): string[] {
  return [
    "script-src 'self'",
    "connect-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
  ];
}

function securityHeaders(policy: readonly string[]): Record<string, string> {
  return {
    'Content-Security-Policy': [
      "default-src 'none'",
      ...policy,
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': 'camera=(), microphone=(), geolocation=()',
    'Cache-Control': 'no-store',
  };
}
