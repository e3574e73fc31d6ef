// Which part of the sources may import which. Resolves every import and export-from, type-only ones included, and finds cycles
// among those that exist at run time. dependency-cruiser could do this, but cannot read TSX without the classic TypeScript API.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';

const root = fileURLToPath(new URL('..', import.meta.url));

const APP = 'src/core/app.ts';
/** What each folder of the core may import besides itself and `src/shared/`: the folders below it. */
const CORE = {
  support: [],
  storage: ['support'],
  models: ['support'],
  jobs: ['storage', 'support'],
  items: ['storage', 'support'],
  embedding: ['items', 'models', 'storage', 'support'],
  search: ['items', 'embedding', 'models', 'jobs', 'storage', 'support'],
  memory: ['search', 'items', 'embedding', 'models', 'jobs', 'storage', 'support'],
  vaults: ['items', 'embedding', 'jobs', 'storage', 'support'],
  attachments: ['vaults', 'items', 'storage', 'support'],
  chat: ['memory', 'search', 'items', 'embedding', 'models', 'jobs', 'storage', 'support'],
  lifecycle: ['vaults', 'memory', 'search', 'items', 'embedding', 'jobs', 'storage', 'support'],
};
const coreLayers = Object.entries(CORE).map(([folder, below]) => ({
  from: `src/core/${folder}/`,
  to: [folder, ...below].map((one) => `src/core/${one}/`).concat('src/shared/'),
  forbiddenPackages: ['electron'],
}));
/** The first rule whose `from` is a prefix of the file's path applies; `to` lists the prefixes that the file may import. */
const LAYERS = [
  { from: 'src/shared/', to: ['src/shared/'], packages: ['zod', '@orpc/contract'] },
  ...coreLayers,
  { from: 'src/core/', to: ['src/core/', 'src/shared/'], forbiddenPackages: ['electron'] },
  { from: 'src/local-host/', to: ['src/local-host/', APP, 'src/shared/'] },
  { from: 'src/main/', to: ['src/main/', 'src/local-host/', APP, 'src/shared/'] },
  { from: 'src/preload/', to: ['src/shared/'], packages: ['electron'] },
  { from: 'src/cli/', to: ['src/cli/', 'src/local-host/', APP, 'src/shared/'] },
  { from: 'src/renderer/', to: ['src/renderer/', 'src/shared/'] },
  { from: 'test/', to: ['test/', 'src/', 'scripts/buildStamp.mjs'] },
];
/** Packages that only one file in a folder may import. */
const ONLY_IN = [
  { folder: 'src/renderer/', packages: ['@orpc/client', 'partysocket'], file: 'src/renderer/api.ts' },
];

function sources(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'));
}

/** Every import specifier of a file, and whether it exists at run time. */
function importsOf(file) {
  const { module } = parseSync(file, readFileSync(join(root, file), 'utf8'));
  const typesOnly = (entries) => entries.length > 0 && entries.every((entry) => entry.isType);
  return [
    ...module.staticImports.map((one) => ({
      name: one.moduleRequest.value,
      atRunTime: !typesOnly(one.entries),
    })),
    ...module.staticExports.flatMap((one) =>
      one.entries
        .filter((entry) => entry.moduleRequest)
        .map((entry) => ({ name: entry.moduleRequest.value, atRunTime: !entry.isType })),
    ),
  ];
}

const packageOf = (name) =>
  name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/');

function problemsOf(file, imports) {
  const layer = LAYERS.find((one) => file.startsWith(one.from));
  if (!layer) return [`${file} lies in no layer; add it to scripts/importRules.mjs`];
  const isTest = /\.test\.tsx?$/.test(file);
  return imports.flatMap(({ name }) => {
    const refuse = (why) => [`${file} imports ${name}: ${why}`];
    if (name.startsWith('.')) {
      const target = posix.join(dirname(file), name);
      if (!isTest && !layer.to.some((allowed) => target.startsWith(allowed)))
        return refuse(`${layer.from} may not`);
      const feature = /^src\/renderer\/features\/([^/]+)\//;
      const [mine, theirs] = [feature.exec(file)?.[1], feature.exec(target)?.[1]];
      return mine && theirs && mine !== theirs ? refuse('features may not import each other') : [];
    }
    if (isTest) return [];
    const pack = packageOf(name);
    if (layer.packages && !layer.packages.includes(pack))
      return refuse(`${layer.from} knows ${layer.packages.join(', ')} only`);
    if (layer.forbiddenPackages?.includes(pack)) return refuse(`${layer.from} must not know it`);
    const only = ONLY_IN.find((rule) => file.startsWith(rule.folder) && rule.packages.includes(pack));
    return only && only.file !== file ? refuse(`only ${only.file} may`) : [];
  });
}

function findCycle(graph) {
  const state = new Map();
  const visit = (file, path) => {
    if (state.get(file) === 'done') return null;
    if (state.get(file) === 'open') return [...path.slice(path.indexOf(file)), file];
    state.set(file, 'open');
    for (const next of graph.get(file) ?? []) {
      const cycle = visit(next, [...path, file]);
      if (cycle) return cycle;
    }
    state.set(file, 'done');
    return null;
  };
  for (const file of graph.keys()) {
    const cycle = visit(file, []);
    if (cycle) return cycle;
  }
  return null;
}

const graph = new Map();
const problems = [];
for (const file of [...sources('src'), ...sources('test')]) {
  const imports = importsOf(file);
  problems.push(...problemsOf(file, imports));
  graph.set(
    file,
    imports
      .filter((one) => one.atRunTime && one.name.startsWith('.'))
      .map((one) => posix.join(dirname(file), one.name)),
  );
}
const cycle = findCycle(graph);
if (cycle) problems.push(`cycle: ${cycle.join(' → ')}`);
for (const problem of problems) console.log(problem);
console.log(`${graph.size} files, ${problems.length} problems`);
process.exit(problems.length === 0 && graph.size > 50 ? 0 : 1);
