import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inspect } from 'node:util';
import { runCommand } from '../../src/cli/program.ts';
import { type LocalHost, startLocalHost } from '../../src/local-host/localHost.ts';
import { isErrorCode } from '../../src/shared/errors.ts';
import { Settings } from '../../src/shared/settings.ts';
import { CoreUnderFuzz } from './coreUnderFuzz.ts';
import { Random } from './random.ts';
import type { FuzzTarget } from './target.ts';

const COMMANDS_OF_A_SEED = 40;
/** Only tells a command that ends from one that hangs. */
const PATIENCE_MS = 120_000;

/** Every command, with what it takes: names of options and of values. */
const COMMANDS: readonly { path: readonly string[]; takes: readonly string[]; options: readonly string[] }[] =
  [
    { path: ['start'], takes: [], options: ['--vault', '--port'] },
    { path: ['index'], takes: [], options: ['--vault'] },
    { path: ['vaults', 'list'], takes: [], options: [] },
    { path: ['vaults', 'confirm'], takes: ['folder'], options: [] },
    { path: ['search'], takes: ['text'], options: ['--mode', '--kind', '--channel', '--limit'] },
    { path: ['retrieve'], takes: ['text'], options: ['--conversation', '--limit', '--min-score'] },
    { path: ['retrieve'], takes: [], options: ['--batch', '--conversation', '--limit'] },
    { path: ['ask'], takes: ['text'], options: ['--conversation'] },
    { path: ['export'], takes: ['file'], options: [] },
    { path: ['erase'], takes: [], options: ['--yes'] },
    { path: ['import'], takes: ['file'], options: [] },
    { path: ['facts', 'list'], takes: [], options: ['--all'] },
    { path: ['facts', 'add'], takes: ['text'], options: ['--kind', '--subjects', '--importance', '--ttl'] },
    {
      path: ['facts', 'edit'],
      takes: ['id'],
      options: ['--content', '--kind', '--subjects', '--importance'],
    },
    { path: ['facts', 'delete'], takes: ['id'], options: [] },
    { path: ['facts', 'review'], takes: [], options: ['--group', '--limit'] },
    { path: ['facts', 'merge'], takes: ['id', 'id'], options: ['--into', '--content'] },
    { path: ['facts', 'unmerge'], takes: ['id'], options: [] },
    { path: ['settings', 'get'], takes: ['key'], options: [] },
    { path: ['settings', 'set'], takes: ['key', 'value'], options: [] },
    { path: ['backup'], takes: ['file'], options: [] },
    { path: ['restore'], takes: ['file'], options: [] },
    { path: ['stats'], takes: [], options: [] },
    { path: ['doctor'], takes: [], options: ['--repair'] },
  ];
/** What takes long, or leaves little to work with: now and then. */
const RARE = ['erase', 'restore', 'doctor', 'index', 'start', 'backup'];
const SWITCHES = ['--yes', '--all', '--repair'];
/** Files that never end, refuse, or are none; what is named like this is read or written by mistake only. */
const DEVICES = [
  '/dev/null',
  '/dev/zero',
  '/dev/full',
  '/dev/random',
  '/dev/fd',
  '/proc/self/mem',
  '/proc/self/environ',
];
const NUMBERS = [
  '0',
  '1',
  '20',
  '-1',
  '201',
  '1e9',
  '1e309',
  '0x10',
  '0.5',
  '1.0001',
  'NaN',
  '',
  ' ',
  '９',
  '99999999999999999999',
];

interface Ran {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Runs commands with random arguments, in this process, against a core that runs. */
export const commandTarget: FuzzTarget = {
  name: 'commands',
  open: async () => {
    const shell = await Shell.open();
    return {
      run: async (seed) => {
        await runRandom(shell, seed, COMMANDS_OF_A_SEED);
        await shell.checkHealth();
      },
      close: () => shell.close(),
    };
  },
};

export async function runRandom(shell: Shell, seed: number, count: number): Promise<void> {
  const random = new Random(seed);
  for (let n = 0; n < count; n += 1) await shell.run(new Arguments(random, shell.core).next());
}

/** A place to run commands in: a running core, and files around it. */
export class Shell {
  readonly core: CoreUnderFuzz;
  readonly #host: LocalHost;
  readonly #xdg = process.env.XDG_DATA_HOME;

  private constructor(core: CoreUnderFuzz, host: LocalHost) {
    this.core = core;
    this.#host = host;
  }

  static async open(): Promise<Shell> {
    const core = await CoreUnderFuzz.open();
    makeFiles(core.folder);
    // No command may find the user's own data, whatever becomes of its arguments.
    process.env.XDG_DATA_HOME = join(core.folder, 'home');
    return new Shell(core, await startLocalHost(core.test.app, { rendererDir: null, port: 0 }));
  }

  /**
   * Runs a command.
   * @throws Error if it ends otherwise than by success or a plain message, or writes where it was not told to
   */
  async run(argv: readonly string[]): Promise<void> {
    this.core.causes.length = 0;
    const before = this.#files();
    let ran: Ran;
    try {
      ran = await captured(() => endOf(runCommand(argv)));
    } catch (error) {
      throw new Error(`${textOf(argv)}: ${(error as Error).stack}`);
    }
    const wrong = findWrong(argv, ran);
    // With the folders above it.
    const named = argv.map((part) => resolve(part));
    const stray = this.#files().filter(
      (path) =>
        !before.includes(path) &&
        !named.some((one) => `${path}/`.startsWith(`${one}/`) || one.startsWith(`${path}/`)),
    );
    if (stray.length > 0) wrong.push(`files that were not named: ${stray.join(', ')}`);
    if (wrong.length > 0)
      throw new Error(`${textOf(argv)}: ${wrong.join('; ')} ${this.core.causes.join('\n')}`);
  }

  async checkHealth(): Promise<void> {
    const { client } = this.core.test.app;
    await client.app.changeSettings({
      timeoutMs: 5_000,
      autoRetrieve: true,
      'chat.baseUrl': '',
      'chat.model': '',
      embedder: 'built-in',
    });
    await this.core.checkHealth();
    if ((await client.app.stats()).notes.total === 0) await this.core.fill();
  }

  async close(): Promise<void> {
    if (this.#xdg === undefined) delete process.env.XDG_DATA_HOME;
    else process.env.XDG_DATA_HOME = this.#xdg;
    await this.#host.close();
    await this.core.close();
  }

  /** Files in the current folder and above it, as far as they are the test's. */
  #files(): string[] {
    const root = join(this.core.folder, '..', '..');
    return readdirSync(root, { recursive: true, encoding: 'utf8' }).map((path) => join(root, path));
  }
}

const textOf = (argv: readonly string[]): string =>
  `souvenir ${inspect(argv, { maxStringLength: 300, breakLength: Infinity })}`;

function makeFiles(folder: string): void {
  const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
  const questions = [
    '{"id":1,"text":"Quand planter les tomates ?"}',
    '{"id":"b","text":"chaudière","conversation":"none"}',
  ];
  write('batch.jsonl', questions.join('\n'));
  write('batch-bad.jsonl', `${questions[0]}\n{"id":2}\n`);
  write('batch-long.jsonl', JSON.stringify({ id: 3, text: 'tomate '.repeat(20_000) }));
  write('deep.json', '['.repeat(100_000) + ']'.repeat(100_000));
  write('deep.jsonl', '{"id":'.repeat(50_000));
  write('empty.json', '');
  write('history.json', JSON.stringify({ conversations: [{ id: 'h', messages: [] }] }));
  write('bytes.json', '\u0000\ufffd{"');
  write('not-a-copy.sqlite', 'SQLite format 3\u0000 and nothing else');
  mkdirSync(join(folder, 'folder'));
  symlinkSync('loop', join(folder, 'loop'));
  if (process.platform !== 'win32') spawnSync('mkfifo', [join(folder, 'fifo')]);
}

async function endOf(running: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLong = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it does not end')), PATIENCE_MS);
  });
  await Promise.race([running, tooLong]).finally(() => clearTimeout(timer));
}

/** Runs a command with the outputs of the process caught. */
async function captured(run: () => Promise<void>): Promise<Ran> {
  const ran: Ran = { exitCode: 0, stdout: '', stderr: '' };
  const streams = ['stdout', 'stderr'] as const;
  const kept = streams.map((name) => process[name].write);
  const { exit, exitCode } = process;
  for (const name of streams)
    process[name].write = (part: string | Uint8Array) => {
      ran[name] += part.toString();
      return true;
    };
  process.exitCode = undefined;
  process.exit = (code) => {
    throw new Error(`process.exit(${code})`);
  };
  try {
    await run();
    ran.exitCode = Number(process.exitCode ?? 0);
    return ran;
  } finally {
    process.exit = exit;
    process.exitCode = exitCode;
    for (const [place, name] of streams.entries())
      process[name].write = kept[place] as typeof process.stdout.write;
  }
}

function findWrong(argv: readonly string[], { exitCode, stdout, stderr }: Ran): string[] {
  const wrong: string[] = [];
  if (![0, 1, 2].includes(exitCode)) wrong.push(`exit code ${exitCode}`);
  if (exitCode === 2 && !/^error: /m.test(stderr)) wrong.push(`wrong usage without a message: ${stderr}`);
  const codes = [
    ...`${stderr}\n${stdout}`.matchAll(/^(?:\{"error":\{"code":")?([A-Z][A-Z_]+)(?:: |","message":".)/gm),
  ].map(([, code]) => code as string);
  const isReport = argv.includes('doctor') && stderr === '';
  if (exitCode === 1 && !isReport && !codes.some((code) => isErrorCode(code)))
    wrong.push(`a failure without a message: ${stderr.slice(0, 500)}`);
  if (exitCode === 1 && codes.includes('INTERNAL')) wrong.push('INTERNAL');
  if (/^\s+at .+:\d+:\d+\)?$/m.test(stderr)) wrong.push(`a stack: ${stderr}`);
  const control = /(?![\t\n])\p{Cc}/u.exec(stdout + stderr);
  if (control) wrong.push(`a control character is printed: ${JSON.stringify(control[0])}`);
  return wrong;
}

/** Makes arguments. Files lie in folders of the test, or are devices. */
class Arguments {
  readonly #random: Random;
  readonly #core: CoreUnderFuzz;

  constructor(random: Random, core: CoreUnderFuzz) {
    this.#random = random;
    this.#core = core;
  }

  next(): string[] {
    const random = this.#random;
    let command = random.pick(COMMANDS);
    while (RARE.includes(command.path[0] as string) && !random.chance(0.15)) command = random.pick(COMMANDS);
    const values = command.takes.filter(() => random.chance(0.95)).map((what) => this.#value(what));
    const options = command.options.flatMap((name) => (random.chance(0.5) ? this.#option(name) : []));
    // On another folder it would run until it is stopped.
    const isStart = command.path[0] === 'start';
    // Without this, it would open a window where there is a display.
    const always = isStart ? ['--no-open'] : [];
    const rest = random.chance(0.5) ? [...values, ...options] : [...options, ...values];
    if (random.chance(0.3)) rest.push('--json');
    if (random.chance(0.05)) rest.push('--now', random.pick(['2026-01-05T09:00:00Z', '9e15', this.#text()]));
    if (!isStart && random.chance(0.1)) this.#spoil(rest);
    // The system ends an argument at a NUL, and Node decodes it.
    return [
      ...command.path,
      '--data',
      isStart ? this.#core.test.dataDir : this.#dataDir(),
      ...always,
      ...rest,
    ].map((part) => part.replaceAll('\0', '').toWellFormed());
  }

  #dataDir(): string {
    const { test, folder } = this.#core;
    if (this.#random.chance(0.95)) return test.dataDir;
    return this.#random.pick([
      '',
      ' ',
      'x'.repeat(5_000),
      '/dev/null',
      '/proc/self',
      'loop',
      'fifo',
      'batch.jsonl',
      test.vault,
      folder,
      join(folder, 'folder'),
    ]);
  }

  /** Other arguments between, doubled or missing ones. */
  #spoil(rest: string[]): void {
    const random = this.#random;
    const at = random.between(0, rest.length);
    const some = [
      '--',
      '-',
      '--unknown',
      '--limit',
      '-x',
      '--help',
      '--version',
      '--json=1',
      '--data',
      ...NUMBERS,
      this.#text(),
    ];
    rest.splice(at, random.between(0, 1), random.pick(some));
  }

  #option(name: string): string[] {
    if (SWITCHES.includes(name)) return [name];
    const value = this.#value(OPTION_VALUES[name] ?? 'text');
    return this.#random.chance(0.5) ? [`${name}=${value}`] : [name, value];
  }

  /** What happens to be a path leads nowhere but into the current folder. */
  #text(): string {
    return this.#random.text().replace(/^\//, 'x');
  }

  #value(what: string): string {
    const random = this.#random;
    if (random.chance(0.08)) return this.#text();
    const { folder, test } = this.#core;
    const files = [
      'missing',
      'folder',
      'loop',
      'fifo',
      'folder/new.json',
      'missing/new.json',
      'new.json',
      'x'.repeat(300),
      '',
      'deep.json',
      'empty.json',
      'history.json',
      'bytes.json',
      'not-a-copy.sqlite',
      ...DEVICES,
    ];
    switch (what) {
      case 'number':
        return random.pick(NUMBERS);
      case 'batch':
        return random.pick([...files, 'batch.jsonl', 'batch-bad.jsonl', 'batch-long.jsonl', 'deep.jsonl']);
      case 'file':
        return random.pick(files);
      case 'folder':
        return random.pick([
          test.vault,
          'folder',
          'missing',
          '/dev/null',
          'batch.jsonl',
          'loop',
          test.dataDir,
          '',
          folder,
        ]);
      case 'key':
        return random.pick([
          ...Object.keys(Settings.shape).filter((key) => key !== 'openAtLogin'),
          'toString',
          '__proto__',
          '',
        ]);
      case 'value':
        return random.pick([
          ...NUMBERS,
          'true',
          'off',
          '[]',
          '[1,2',
          'fr',
          'everything',
          'http://127.0.0.1:1/v1',
          'http://a:b@127.0.0.1',
          'a'.repeat(200_000),
        ]);
      case 'kind':
        return random.pick(['note', 'turn,fact', 'note, fact', 'x', ',', 'fact', 'identity', '']);
      case 'mode':
        return random.pick(['hybrid', 'text', 'semantic', 'x', '']);
      case 'ttl':
        return random.pick(['1h', '9999999w', '0h', '-1d', 'x', '']);
      case 'id':
        return random.pick(['none', 'fact_', 'fact_0000000000000000', 'conv_x', '']);
      default:
        return random.chance(0.4)
          ? 'Quand Léa plante-t-elle les tomates ?'
          : random.pick([this.#text(), 'é'.repeat(300_000), '-', '--json']);
    }
  }
}

const OPTION_VALUES: Readonly<Record<string, string>> = {
  '--vault': 'folder',
  '--port': 'number',
  '--limit': 'number',
  '--min-score': 'number',
  '--importance': 'number',
  '--batch': 'batch',
  '--mode': 'mode',
  '--kind': 'kind',
  '--ttl': 'ttl',
  '--conversation': 'id',
};
