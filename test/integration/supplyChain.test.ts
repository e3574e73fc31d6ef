import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { removeFolder, temporaryFolder } from '../support/temporary.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HASH = 'sha512-00';

type Json = Record<string, unknown>;

/** A project of one dependency, with two packages below it, and nothing wrong. */
const manifest = (): Json => ({
  dependencies: { used: '1.0.0' },
  devDependencies: { tool: '2.0.0', shown: '3.0.0' },
  allowScripts: { tool: true },
});
const lock = (): Record<string, Json> => ({
  '': { dependencies: { used: '1.0.0' }, devDependencies: { tool: '2.0.0', shown: '3.0.0' } },
  'node_modules/used': {
    version: '1.0.0',
    integrity: HASH,
    license: 'MIT',
    dependencies: { below: '^1.0.0' },
  },
  'node_modules/below': { version: '9.0.0', integrity: HASH, license: 'GPL-3.0-only' },
  'node_modules/used/node_modules/below': {
    version: '1.2.0',
    integrity: HASH,
    license: '(GPL-3.0-only OR ISC)',
  },
  'node_modules/tool': { version: '2.0.0', integrity: HASH, license: 'GPL-3.0-only', hasInstallScript: true },
  'node_modules/shown': { version: '3.0.0', integrity: HASH, license: 'MIT AND ISC' },
});

let dir: string;
beforeEach(() => {
  dir = temporaryFolder();
  mkdirSync(join(dir, 'src'));
  writeFileSync(join(dir, 'src/window.ts'), "import { a } from 'shown/part';\nimport 'node:fs';\n");
  cpSync(join(ROOT, 'scripts'), join(dir, 'scripts'), { recursive: true });
});
afterEach(() => removeFolder(dir));

function check(change: (manifest: Json, lock: Record<string, Json>) => void = () => undefined) {
  const [described, locked] = [manifest(), lock()];
  change(described, locked);
  writeFileSync(join(dir, 'package.json'), JSON.stringify({ type: 'module', ...described }));
  writeFileSync(join(dir, 'package-lock.json'), JSON.stringify({ packages: locked }));
  const run = spawnSync(process.execPath, [join(dir, 'scripts/supplyChain.ts')], { encoding: 'utf8' });
  return { status: run.status, output: run.stdout };
}

describe('the supply chain', () => {
  it('of a project with nothing wrong passes, and of this one', () => {
    expect(check()).toEqual({ status: 0, output: '5 packages, 3 of them passed on; 0 problems\n' });
    const own = spawnSync(process.execPath, [join(ROOT, 'scripts/supplyChain.ts')], { encoding: 'utf8' });
    expect(own.stdout).toMatch(/ 0 problems\n$/);
  });

  it.each<[string, (manifest: Json, lock: Record<string, Json>) => void, string]>([
    [
      'a package from git',
      (_m, l) =>
        Object.assign(l['node_modules/below'] as Json, { resolved: 'git+ssh://git@github.com/a/b.git#0' }),
      'node_modules/below comes from git+ssh',
    ],
    [
      'a package from another registry',
      (_m, l) =>
        Object.assign(l['node_modules/used'] as Json, { resolved: 'http://registry.npmjs.org/used.tgz' }),
      'node_modules/used comes from http:',
    ],
    [
      'a folder',
      (_m, l) => Object.assign(l['node_modules/used'] as Json, { link: true }),
      'comes from a folder',
    ],
    ['an archive without its hash', (_m, l) => delete l['node_modules/tool']?.integrity, 'no SHA-512'],
    [
      'a lockfile that is behind',
      (m) => Object.assign(m, { dependencies: { used: '1.0.1' } }),
      'used: package.json has 1.0.1',
    ],
    [
      'a script that nobody named',
      (_m, l) => Object.assign(l['node_modules/below'] as Json, { hasInstallScript: true }),
      'below has a script that runs at installation',
    ],
    [
      'a named script that is gone',
      (_m, l) => delete l['node_modules/tool']?.hasInstallScript,
      'tool may run a script',
    ],
    [
      'a licence of what runs beside the program',
      (_m, l) =>
        Object.assign(l['node_modules/used/node_modules/below'] as Json, { license: 'GPL-3.0-only' }),
      'node_modules/used/node_modules/below is under GPL-3.0-only',
    ],
    [
      'a licence of what is bundled',
      (_m, l) => Object.assign(l['node_modules/shown'] as Json, { license: 'MIT AND GPL-3.0-only' }),
      'node_modules/shown is under',
    ],
    ['no licence', (_m, l) => delete l['node_modules/used']?.license, 'no licence that it states'],
  ])('tells of %s', (_what, change, problem) => {
    const { status, output } = check(change);
    expect(output).toContain(problem);
    expect(status).toBe(1);
  });
});

describe('what is passed on with the package', () => {
  it('is named with its licence, in a text and in a list for machines, and nothing else is', async () => {
    const run = spawnSync(process.execPath, [join(ROOT, 'scripts/notices.ts'), '--out', dir], {
      encoding: 'utf8',
    });
    expect(run.stderr).toBe('');
    const bom = JSON.parse(readFileSync(join(dir, 'sbom.cdx.json'), 'utf8')) as {
      bomFormat: string;
      components: { name: string; licenses: unknown[] }[];
    };
    expect(bom.bomFormat).toBe('CycloneDX');
    const named = new Map(bom.components.map((one) => [one.name, one.licenses]));
    for (const name of ['better-sqlite3', 'react', 'json-bignum']) expect(named.get(name)).toHaveLength(1);
    for (const name of ['vitest', 'electron-builder', 'node']) expect(named.has(name)).toBe(false);
    const notices = readFileSync(join(dir, 'THIRD-PARTY-NOTICES.txt'), 'utf8');
    for (const { name } of bom.components)
      expect(notices).toContain(`https://www.npmjs.com/package/${name}\n`);
    expect(notices).toContain('Permission is hereby granted, free of charge');

    const builder = pathToFileURL(join(ROOT, 'electron-builder.config.mjs')).href;
    const { default: config } = (await import(builder)) as { default: Json };
    expect(config.extraResources).toEqual([{ from: 'out/legal', to: 'legal' }]);
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as Json & {
      scripts: Json;
    };
    expect(scripts.package).toContain('node scripts/notices.ts && electron-builder');
  });
});

describe('the set-up', () => {
  it('runs no script of a package but those that package.json allows', () => {
    writeFileSync(join(dir, 'package.json'), JSON.stringify({ allowScripts: { node: true, other: false } }));
    writeFileSync(join(dir, 'package-lock.json'), '{}');
    const npm = join(dir, 'npm.cjs');
    writeFileSync(
      npm,
      `require('node:fs').mkdirSync('node_modules', { recursive: true });
       require('node:fs').appendFileSync('calls', process.argv.slice(2).join(' ') + '\\n');`,
    );
    chmodSync(npm, 0o755);
    const run = spawnSync(process.execPath, [join(dir, 'scripts/setup.mjs')], {
      encoding: 'utf8',
      env: { ...process.env, npm_execpath: npm },
    });
    expect(run.status).toBe(0);
    const [install, rebuild, ...rest] = readFileSync(join(dir, 'calls'), 'utf8').trim().split('\n');
    expect(install).toMatch(/^ci .*--ignore-scripts/);
    expect(rebuild).toMatch(/^rebuild node .*--ignore-scripts=false/);
    expect(rest).toEqual([]);
  });
});
