import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';

const CLI = fileURLToPath(new URL('../../out/main/cli.js', import.meta.url));

let compiled: string | null = null;

/** Where Node keeps what it compiled of the host, for the next one of this process: reading it takes half the time of a start. */
function compiledFolder(): string {
  if (compiled === null) {
    const made = temporaryFolder();
    process.once('exit', () => removeFolder(made));
    compiled = made;
  }
  return compiled;
}

export interface RunningHost {
  /** Opens one window. */
  url: string;
  process: ChildProcess;
  stop(): Promise<void>;
}

interface HostOptions {
  home?: string;
  args?: string[];
  lang?: string;
}

/** Starts the built local host on a data folder, as `npm start` does, with its own home folder. */
export async function startHost(dataDir: string, options: HostOptions = {}): Promise<RunningHost> {
  const child = spawn(
    process.execPath,
    [CLI, 'start', '--json', '--no-open', '--data', dataDir, ...(options.args ?? [])],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        LC_ALL: options.lang ?? 'en_GB.UTF-8',
        NODE_COMPILE_CACHE: compiledFolder(),
        ...(options.home === undefined
          ? {}
          : { HOME: options.home, XDG_CONFIG_HOME: `${options.home}/.config` }),
      },
    },
  );
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the local host ended with ${code}`)));
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    url: (JSON.parse(line) as { url: string }).url,
    process: child,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** The hosts of a test, and what goes once they have ended. */
export class Hosts {
  readonly #running: RunningHost[] = [];
  readonly #after: (() => unknown)[] = [];

  async start(dataDir: string, options: HostOptions): Promise<RunningHost> {
    const host = await startHost(dataDir, options);
    this.#running.push(host);
    return host;
  }

  /** Does `work` once the hosts have ended. */
  afterwards(work: () => unknown): void {
    this.#after.push(work);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#running.map((host) => host.stop()));
    for (const work of this.#after) await work();
  }
}
