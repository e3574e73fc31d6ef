/**
 * Checks what the product is made of, from the lockfile alone: where each package comes from, which may run a script when it is
 * installed, and under what licence it is passed on. Run as a program, prints every problem; exits with 1 if there is one.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const REGISTRY = 'https://registry.npmjs.org/';

export interface LockEntry {
  version?: string;
  resolved?: string;
  integrity?: string;
  license?: string;
  link?: boolean;
  hasInstallScript?: boolean;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
}

export interface Manifest {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  /** Packages with a script that runs at installation: may it? */
  allowScripts: Record<string, boolean>;
}

/** Entries of package-lock.json by their place; the project itself is at ''. */
export type Lock = Record<string, LockEntry>;

export interface Project {
  manifest: Manifest;
  lock: Lock;
  /** Packages that the sources import. */
  imported: ReadonlySet<string>;
}

/** Licences that ask for no more than to be named and passed on with the copies. */
const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'PSF-2.0',
  'Python-2.0',
]);
/** What else is allowed, and for whom. */
const ALSO_ALLOWED: readonly { name: RegExp; licence: string }[] = [
  // libvips is a library of its own beside the program, which anyone can exchange.
  { name: /^@img\/sharp-/, licence: 'LGPL-3.0-or-later' },
];
/** Read in the package itself: its description has the field of before SPDX, which npm does not take over. */
const STATED_OTHERWISE: Readonly<Record<string, string>> = { 'base-64': 'MIT', 'json-bignum': 'MIT' };

/** Name of the package at a place of the lockfile. */
export const nameOf = (place: string) =>
  place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);

/** The licence of a package, as an SPDX expression; undefined if none is stated. */
export function licenceOf(place: string, { license }: LockEntry): string | undefined {
  return license ?? STATED_OTHERWISE[nameOf(place)];
}

/** Everything that is wrong with where packages come from. */
export function originProblems({ manifest, lock }: Project): string[] {
  const problems: string[] = [];
  const { '': project = {}, ...entries } = lock;
  for (const [place, entry] of Object.entries(entries)) {
    if (entry.link || (entry.resolved !== undefined && !entry.resolved.startsWith(REGISTRY)))
      problems.push(`${place} comes from ${entry.resolved ?? 'a folder'}, not from the npm registry`);
    if (!entry.integrity?.startsWith('sha512-')) problems.push(`${place} has no SHA-512 of its archive`);
  }
  for (const kind of ['dependencies', 'devDependencies'] as const) {
    const names = new Set([...Object.keys(manifest[kind]), ...Object.keys(project[kind] ?? {})]);
    for (const name of names) {
      const wanted = manifest[kind][name];
      const locked = entries[`node_modules/${name}`]?.version;
      if (wanted !== project[kind]?.[name] || wanted !== locked)
        problems.push(`${name}: package.json has ${wanted}, the lockfile ${locked}`);
    }
  }
  return problems;
}

/** Every package with a script that runs at installation must be named, with whether it may; and nothing else is named. */
export function scriptProblems({ manifest, lock }: Project): string[] {
  const scripted = new Set(
    Object.entries(lock).flatMap(([place, entry]) => (entry.hasInstallScript ? [nameOf(place)] : [])),
  );
  const named = Object.keys(manifest.allowScripts);
  const installed = new Set(Object.keys(lock).map(nameOf));
  return [
    ...[...scripted]
      .filter((name) => !named.includes(name))
      .map(
        (name) => `${name} has a script that runs at installation; allowScripts does not say whether it may`,
      ),
    ...named
      .filter((name) => manifest.allowScripts[name] && !scripted.has(name))
      .map((name) => `${name} may run a script at installation and has none`),
    ...named
      .filter((name) => !installed.has(name))
      .map((name) => `allowScripts names ${name}, which is not here`),
  ];
}

/** Places of all packages that are passed on: what runs beside the program, and what is bundled into it. */
export function shippedPlaces({ manifest, lock, imported }: Project): string[] {
  const places = new Set<string>();
  const visit = (from: string, name: string) => {
    const place = resolvePlace(lock, from, name);
    if (place === null || places.has(place)) return;
    places.add(place);
    // Electron's own packages fetch its binary; they are not part of it.
    if (name === 'electron') return;
    // A peer that the product uses is imported by it too.
    const { dependencies, optionalDependencies } = lock[place] as LockEntry;
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) visit(place, next);
  };
  for (const name of Object.keys(manifest.dependencies)) visit('', name);
  for (const name of Object.keys(manifest.devDependencies)) if (imported.has(name)) visit('', name);
  return [...places].sort();
}

/** Where Node finds `name` from the package at `from`; null if it is nowhere. */
function resolvePlace(lock: Lock, from: string, name: string): string | null {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('node_modules/') - 1))) {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (lock[place]) return place;
    if (folder === '') return null;
  }
}

export function licenceProblems(project: Project): string[] {
  return shippedPlaces(project).flatMap((place) => {
    const licence = licenceOf(place, project.lock[place] as LockEntry);
    if (licence !== undefined && isAllowed(nameOf(place), licence)) return [];
    return [`${place} is under ${licence ?? 'no licence that it states'}`];
  });
}

/** Reads an SPDX expression of AND and OR without nesting, which is all that occurs. */
function isAllowed(name: string, expression: string): boolean {
  const isOne = (licence: string) =>
    ALLOWED.has(licence) || ALSO_ALLOWED.some((also) => also.name.test(name) && also.licence === licence);
  return expression
    .replace(/^\((.*)\)$/, '$1')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((licence) => isOne(licence.trim())));
}

/** The project in `root`, as it stands. */
export function readProject(root: string): Project {
  const json = (file: string) => JSON.parse(readFileSync(join(root, file), 'utf8')) as unknown;
  return {
    manifest: json('package.json') as Manifest,
    lock: (json('package-lock.json') as { packages: Lock }).packages,
    imported: importsIn(join(root, 'src')),
  };
}

/** Names of the packages that the sources under `folder` import; tests, which are not built, left out. */
function importsIn(folder: string): Set<string> {
  const names = new Set<string>();
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/(?<!\.test)\.tsx?$/.test(file)) continue;
    const source = readFileSync(join(folder, file), 'utf8');
    for (const [, name] of source.matchAll(/(?:from|import)\s*\(?\s*'((?:@[\w.-]+\/)?[\w.-]+)(?:\/[^']*)?'/g))
      if (name !== undefined && !name.startsWith('.')) names.add(name);
  }
  return names;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const project = readProject(ROOT);
  const problems = [...originProblems(project), ...scriptProblems(project), ...licenceProblems(project)];
  for (const problem of problems) console.log(problem);
  console.log(
    `${Object.keys(project.lock).length - 1} packages, ${shippedPlaces(project).length} of them passed on; ${problems.length} problems`,
  );
  process.exit(problems.length === 0 ? 0 : 1);
}
