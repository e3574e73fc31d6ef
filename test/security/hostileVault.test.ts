import { spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CLI } from '../support/command.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';

const NOBODY = 65_534;
const PATIENCE_MS = 240_000;
const isRoot = process.getuid?.() === 0;
const CANARY = 'ornithorynque';

let top: string;
let vault: string;
beforeEach(() => {
  top = realpathSync(temporaryFolder());
  vault = join(top, 'vault');
  mkdirSync(vault);
});
afterEach(() => {
  spawnSync('chmod', ['-R', 'u+rwx', top]);
  removeFolder(top);
});

/** Notes that try to run something, or to reach what is not theirs. */
function hostileNotes(marker: string): Record<string, string> {
  const code = `require('fs').writeFileSync(${JSON.stringify(marker)}, 'x')`;
  const laughs = Array.from({ length: 30 }, (_, at) => `a${at + 1}: &a${at + 1} [${`*a${at},`.repeat(9)}]`);
  return {
    'js.md': `---js\n${code}\n---\nTexte.`,
    'type.md': `---\na: !!js/function "function(){ ${code} }"\n---\nTexte.`,
    'laughs.md': `---\na0: &a0 [x]\n${laughs.join('\n')}\n---\nTexte.`,
    'proto.md':
      '---\n__proto__: { isAdmin: true }\nconstructor: { prototype: { isAdmin: true } }\n---\nTexte.',
    'html.md': '<script>fetch("http://127.0.0.1:1/")</script><img src=x onerror=alert(1)>',
    'links.md':
      '[[../../outside/secret]] [a](../outside/secret.md) [b](file:///etc/passwd) [c](obsidian://open?vault=x)\n![[/etc/passwd]]',
    'line\nbreak.md': 'Texte.',
    'bell\u0007 esc\u001b[2J.md': 'Texte.',
    '\u202Etxt.md': 'Texte.',
    [`${'n'.repeat(250)}.md`]: 'Texte.',
    'bonne.md': 'Une bonne note parle de framboises.',
  };
}

/** Notes and canvases that try to take memory and time without end. */
function heavyNotes(): Record<string, string> {
  const deep = (open: string, close: string) => open.repeat(100_000) + close.repeat(100_000);
  return {
    'lines.md': Array.from({ length: 20_000 }, (_, at) => `Ligne ${at}.`).join('\n'),
    'repeats.md': 'ab'.repeat(1_000_000),
    'huge.md': 'a '.repeat(1_000_000),
    'nested.md': `${'> '.repeat(5_000)}x\n\n${deep('[', ']')}`,
    'regex.md': `${'a'.repeat(50_000)}!\n${'[[a|'.repeat(50_000)}\n${'`'.repeat(50_001)}`,
    'bomb.canvas': `{"nodes":${deep('[', ']')}}`,
    'cards.canvas': JSON.stringify({
      nodes: Array.from({ length: 20_000 }, () => ({ text: '# a\n[[b]] #c' })),
    }),
  };
}

/** Links, queues, sockets, devices, names and settings that are no notes. */
async function plantTraps(outside: string): Promise<() => void> {
  writeNotes(outside, { 'secret.md': CANARY, 'sous/secret.md': CANARY });
  symlinkSync(outside, join(vault, 'dehors'));
  symlinkSync(join(outside, 'secret.md'), join(vault, 'lien.md'));
  symlinkSync('/dev/zero', join(vault, 'zero.md'));
  symlinkSync(vault, join(vault, 'boucle'));
  symlinkSync('soi.md', join(vault, 'soi.md'));
  spawnSync('mkfifo', [join(vault, 'file.md')]);
  if (isRoot) spawnSync('mknod', [join(vault, 'peripherique.md'), 'c', '1', '5']);
  const socket = createServer().listen(join(vault, 'prise.md'));
  await new Promise((resolve) => socket.once('listening', resolve));
  writeFileSync(Buffer.concat([Buffer.from(`${vault}/`), Buffer.from('caf\xe9.md', 'latin1')]), 'Texte.');
  mkdirSync(join(vault, 'fermé'));
  writeFileSync(join(vault, 'fermé', 'a.md'), 'Texte.');
  chmodSync(join(vault, 'fermé'), 0o444);
  mkdirSync(join(vault, '.obsidian'));
  spawnSync('mkfifo', [join(vault, '.obsidian', 'app.json')]);
  return () => socket.close();
}

/** Indexes the vault with the command, as another user if one is given. */
async function index(dataDir: string, uid: number | undefined) {
  const child = spawn(
    process.execPath,
    ['--no-wasm-tier-up', CLI, 'index', '--vault', vault, '--data', dataDir, '--json'],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, HOME: top, LC_ALL: 'C.UTF-8' },
      ...(uid === undefined ? {} : { uid, gid: uid }),
    },
  );
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, stdout, stderr };
}

describe.runIf(process.platform === 'linux')('a hostile vault', () => {
  async function check(uid: number | undefined): Promise<void> {
    const dataDir = join(top, 'data');
    const marker = join(top, 'marker');
    // What a note costs does not depend on who reads it.
    writeNotes(vault, { ...hostileNotes(marker), ...(uid === undefined ? heavyNotes() : {}) });
    const remove = await plantTraps(join(top, 'outside'));
    mkdirSync(dataDir);
    chmodSync(top, 0o755);
    chmodSync(vault, 0o755);
    if (uid !== undefined) chownSync(dataDir, uid, uid);
    const { code, stdout, stderr } = await index(dataDir, uid);
    remove();
    expect(code, stderr).toBe(0);
    const report = JSON.parse(stdout) as { notes: number; failed: { path: string; reason: string }[] };
    expect(report.notes).toBeGreaterThanOrEqual(8);
    const failed = report.failed.map(({ path, reason }) => `${path}: ${reason}`);
    expect(failed).toContain('caf\\xE9.md: name-invalid');
    if (uid !== undefined || !isRoot) expect(failed).toContain('fermé: folder-unreadable: EACCES');
    expect(existsSync(marker)).toBe(false);
    for (const file of ['souvenir.sqlite', 'souvenir.sqlite-wal']) {
      const path = join(dataDir, file);
      if (existsSync(path)) expect(readFileSync(path).includes(CANARY)).toBe(false);
    }
    expect(readFileSync(join(dataDir, 'souvenir.sqlite')).includes('framboise')).toBe(true);
  }

  it('is indexed as far as it holds notes, and reaches nothing', () => check(undefined), PATIENCE_MS);

  it.skipIf(!isRoot)(
    'is so with the rights of nobody, which only root can take on',
    () => check(NOBODY),
    PATIENCE_MS,
  );
});
