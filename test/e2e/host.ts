import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../out/main/cli.js', import.meta.url));

export interface RunningHost {
  /** Opens one window. */
  url: string;
  process: ChildProcess;
  stop(): Promise<void>;
}

/** Starts the built local host on a data folder, as `npm start` does, with its own home folder. */
export async function startHost(
  dataDir: string,
  options: { home?: string; args?: string[]; lang?: string } = {},
): Promise<RunningHost> {
  const child = spawn(
    process.execPath,
    [CLI, 'start', '--json', '--no-open', '--data', dataDir, ...(options.args ?? [])],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        LC_ALL: options.lang ?? 'en_GB.UTF-8',
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
