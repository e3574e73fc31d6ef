/**
 * Writes what is passed on with the product: the notices of everyone whose work is in it, and a list for machines (CycloneDX).
 * `npm run package` puts both beside the program. `--out <folder>` writes elsewhere than to `out/legal`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type LockEntry, licenceOf, nameOf, readProject, shippedPlaces } from './supplyChain.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { values: options } = parseArgs({
  options: { out: { type: 'string', default: join(ROOT, 'out', 'legal') } },
});

interface Shipped {
  name: string;
  version: string;
  licence: string;
  folder: string;
}

interface Bom {
  metadata: { component: Record<string, unknown> };
  components: { 'bom-ref': string; name: string; licenses?: unknown[] }[];
  dependencies: { ref: string; dependsOn?: string[] }[];
}

const project = readProject(ROOT);
/** Packages for other platforms are in the lockfile, but not here and not in what is packaged here. */
const shipped = shippedPlaces(project)
  .filter((place) => existsSync(join(ROOT, place)))
  .map((place): Shipped => {
    const entry = project.lock[place] as LockEntry;
    const licence = licenceOf(place, entry);
    if (licence === undefined || entry.version === undefined) throw new Error(`${place} states no licence`);
    return { name: nameOf(place), version: entry.version, licence, folder: join(ROOT, place) };
  })
  .sort(
    (one, other) =>
      one.name.localeCompare(other.name, 'en') || one.version.localeCompare(other.version, 'en'),
  );

const refs = new Map(shipped.map((one) => [`${one.name}@${one.version}`, one]));

function writeNotices(): string {
  const parts = [...refs.values()].map(({ name, version, licence, folder }) => {
    const texts = readdirSync(folder)
      .filter((file) => /^(licen[cs]e|notice|copying|third.?party.?notices)/i.test(file))
      .sort()
      .map((file) => readFileSync(join(folder, file), 'utf8').trim());
    const missing = `Its licence is stated and comes without a text; spdx.org/licenses has the text of ${licence}.`;
    return [
      `${name} ${version}`,
      `https://www.npmjs.com/package/${name}`,
      `Licence: ${licence}`,
      '',
      texts.join('\n\n') || missing,
    ].join('\n');
  });
  const line = `\n\n${'-'.repeat(80)}\n\n`;
  return `Souvenir contains the work of others, under the licences below.${line}${parts.join(line)}\n`;
}

/** npm lists every package of the lockfile; what is not passed on is taken out. */
function writeBom(): Bom {
  const given = process.env.npm_execpath;
  const npm = given !== undefined && /npm-cli/.test(given) ? given : undefined;
  const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  const [program, all] = npm === undefined ? ['npm', args] : [process.execPath, [npm, ...args]];
  const run = spawnSync(program, all, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: npm === undefined && process.platform === 'win32',
  });
  if (run.status !== 0) throw new Error(`npm sbom failed: ${run.stderr}`);
  const bom = JSON.parse(run.stdout) as Bom;
  const root = bom.metadata.component['bom-ref'] as string;
  const isKept = (ref: string) => ref === root || refs.has(ref);
  bom.metadata.component.name = 'souvenir';
  bom.components = bom.components.filter((one) => isKept(one['bom-ref']));
  for (const one of bom.components) {
    const licence = refs.get(one['bom-ref'])?.licence;
    if (!one.licenses?.length) one.licenses = [{ license: { id: licence } }];
  }
  bom.dependencies = bom.dependencies
    .filter(({ ref }) => isKept(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter(isKept) }));
  return bom;
}

mkdirSync(options.out, { recursive: true });
writeFileSync(join(options.out, 'THIRD-PARTY-NOTICES.txt'), writeNotices());
writeFileSync(join(options.out, 'sbom.cdx.json'), `${JSON.stringify(writeBom(), null, 2)}\n`);
console.log(`${refs.size} packages in ${options.out}`);
