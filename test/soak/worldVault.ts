import type { Act } from './act.ts';
import { refusal, same } from './same.ts';
import type { World } from './world.ts';
import { FILTERS, PATTERNS } from './worldDisk.ts';
import { type ModelVault, UNDO_MS, vaultsInUse, wordsOf } from './worldModel.ts';

/** Names with accents, of which several differ only in letter case. */
const NAMES = [
  'Été',
  'été',
  'Cœur',
  'naïve',
  'Ångström',
  'Note',
  'note',
  'Mai 3',
  'idée.brouillon',
  'Secret',
];
const FOLDERS = ['', '', 'Archives/', 'Projets/', 'Projets/Été/', 'Modèles/', 'Journal/2024/'];
/** Fewer notes than a vault may lose at once without being taken for one that is not there. */
const MANY_NOTES = 18;
/** The note that stays, so that no vault is ever empty. */
const FIRST = 'Accueil.md';

interface FoundNote {
  root: number;
  path: string;
  text: string;
}

/** What a run does with folders of notes. */
export function vaultActs(world: World): Act[] {
  const acts = new VaultActs(world);
  return [
    { name: 'write a note', weight: 10, run: () => acts.write() },
    { name: 'edit a note', weight: 8, run: () => acts.edit() },
    { name: 'rename a note', weight: 6, run: () => acts.rename() },
    { name: 'rename a folder', weight: 1.5, run: () => acts.renameFolder() },
    { name: 'copy a note', weight: 1, run: () => acts.copy() },
    { name: 'delete a note', weight: 5, run: () => acts.remove() },
    { name: 'bring a note back', weight: 3, run: () => acts.putBack() },
    { name: 'touch a note', weight: 2, run: () => acts.touch() },
    { name: 'index', weight: 4, run: () => acts.index() },
    { name: 'exclude by patterns', weight: 0.7, run: () => acts.exclude() },
    { name: 'exclude in Obsidian', weight: 0.7, run: () => acts.excludeThere() },
    { name: 'pause or resume', weight: 0.5, run: () => acts.pause() },
    { name: 'read notes again', weight: 0.5, run: () => acts.retry() },
    { name: 'vault away', weight: 0.2, run: () => acts.takeAway() },
    { name: 'remove a vault', weight: 0.4, run: () => acts.removeVault() },
    { name: 'bring a vault back', weight: 1, run: () => acts.restoreVault() },
    { name: 'add a vault', weight: 1.5, run: () => acts.addVault() },
  ];
}

class VaultActs {
  readonly #world: World;
  readonly #deleted: FoundNote[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  async write(): Promise<string | null> {
    const { dice, disk } = this.#world;
    const root = this.#root();
    if (disk.root(root).files.size > MANY_NOTES) return this.remove();
    const path = this.#freePath(root);
    if (path === null) return null;
    disk.write(root, path, this.#note(dice.random()));
    return this.#named(root, path);
  }

  async edit(): Promise<string | null> {
    const { dice, disk } = this.#world;
    const place = this.#anyNote(true);
    if (!place) return null;
    const { root, path, text } = place;
    const chance = dice.random();
    if (chance < 0.3) disk.write(root, path, `${text}\n\n## Suite\n\n${this.#world.text()}`.slice(-3_000));
    // Another word of the same length.
    else if (chance < 0.5) disk.write(root, path, text.replace(/zq\d{6}/, this.#world.word()));
    else disk.write(root, path, this.#note(dice.random()));
    return this.#named(root, path);
  }

  async rename(): Promise<string | null> {
    const { dice, disk } = this.#world;
    const place = this.#anyNote(false);
    if (!place) return null;
    const { root, path } = place;
    const other = path === path.normalize('NFC') ? path.normalize('NFD') : path.normalize('NFC');
    const upper = path.replace(/[^/]+$/, (name) =>
      name.charAt(0) === name.charAt(0).toUpperCase()
        ? name.toLowerCase()
        : name.charAt(0).toUpperCase() + name.slice(1),
    );
    const to = dice.pick([this.#freePath(root), this.#freePath(root), other, upper]);
    if (to === null || to === path || disk.has(root, to)) return null;
    disk.move(root, path, to);
    return `${root} ${path} → ${to}`;
  }

  async renameFolder(): Promise<string | null> {
    const { dice, disk } = this.#world;
    const root = this.#root();
    const folders = disk.folders(root);
    if (folders.length === 0) return null;
    const from = dice.pick(folders);
    const to = dice.pick([...FOLDERS.slice(2), `Dossier ${dice.between(1, 3)}/`]);
    if (disk.has(root, to) || to.startsWith(from) || from.startsWith(to)) return null;
    disk.move(root, from, to);
    return `${root} ${from} → ${to}`;
  }

  async copy(): Promise<string | null> {
    const place = this.#anyNote(false);
    const to = place && this.#freePath(place.root);
    if (!place || to === null || this.#world.disk.root(place.root).files.size > MANY_NOTES) return null;
    this.#world.disk.copy(place.root, place.path, to);
    return `${place.root} ${place.path} → ${to}`;
  }

  async remove(): Promise<string | null> {
    const place = this.#anyNote(false);
    if (!place) return null;
    this.#world.disk.remove(place.root, place.path);
    this.#deleted.push(place);
    return `${place.root} ${place.path}`;
  }

  /** A deleted note comes back, under its name, with its text. */
  async putBack(): Promise<string | null> {
    const { dice, disk } = this.#world;
    if (this.#deleted.length === 0) return null;
    const index = dice.between(0, this.#deleted.length - 1);
    const { root, path, text } = this.#deleted[index] as FoundNote;
    if (disk.root(root).isAway || disk.has(root, path)) return null;
    this.#deleted.splice(index, 1);
    disk.write(root, path, text);
    return `${root} ${path}`;
  }

  async touch(): Promise<string | null> {
    const place = this.#anyNote(true);
    if (!place) return null;
    this.#world.disk.touch(place.root, place.path);
    return `${place.root} ${place.path}`;
  }

  async index(): Promise<string | null> {
    const vault = this.#anyVault();
    if (!vault) return this.addVault();
    await indexVault(this.#world, vault);
    return `${vault.root}`;
  }

  async exclude(): Promise<string | null> {
    const { dice, client } = this.#world;
    const vault = this.#anyVault();
    if (!vault) return null;
    const patterns = dice.some(Object.keys(PATTERNS), dice.between(0, 2));
    await client.vaults.setIgnorePatterns({ id: vault.id, patterns });
    vault.patterns = patterns;
    await indexVault(this.#world, vault);
    return `${vault.root} ${patterns.join(', ')}`;
  }

  async excludeThere(): Promise<string | null> {
    const { dice, disk } = this.#world;
    const root = this.#root();
    const filters = dice.some(Object.keys(FILTERS), dice.between(0, 2));
    disk.setFilters(root, filters);
    return `${root} ${filters.join(', ')}`;
  }

  /** A folder that cannot be reached: its index is kept, and all is well once it is back. */
  async takeAway(): Promise<string | null> {
    const { dice, client, disk, state } = this.#world;
    const vaults = vaultsInUse(state).filter(({ paused }) => !paused);
    if (vaults.length === 0) return null;
    const vault = dice.pick(vaults);
    const { path } = disk.root(vault.root);
    // The doctor reports what changed in a paused one, which it leaves alone.
    for (const other of vaultsInUse(state)) if (other.paused) await indexVault(this.#world, other);
    disk.setAway(vault.root, true);
    const { findings } = await client.app.doctor({ repair: dice.chance(0.5) });
    same(
      'findings',
      findings.map(({ code }) => code),
      ['vault-unavailable'],
    );
    same(
      'indexing a vault that is away',
      await refusal(readAll(client.vaults.index({ path }))),
      'VAULT_NOT_FOUND',
    );
    const { counts } = await client.notes.list({ vaultId: vault.id });
    same('notes of a vault that is away', counts.all, vault.notes.size);
    disk.setAway(vault.root, false);
    // The doctor has reconciled the others.
    for (const other of vaultsInUse(state)) await indexVault(this.#world, other);
    return `${vault.root}`;
  }

  /** A vault that is paused is indexed only where somebody asks for it. */
  async pause(): Promise<string | null> {
    const { client } = this.#world;
    const vault = this.#anyVault();
    if (!vault) return null;
    vault.paused = !vault.paused;
    await client.vaults[vault.paused ? 'pause' : 'resume']({ id: vault.id });
    await indexVault(this.#world, vault);
    return `${vault.root} ${vault.paused}`;
  }

  async retry(): Promise<string | null> {
    const { dice, client } = this.#world;
    const vault = this.#anyVault();
    if (!vault) return null;
    const { notes } = await client.notes.list({ vaultId: vault.id, limit: 500 });
    const paths = dice.some([...vault.notes.keys()].sort(), dice.between(1, 4));
    const ids = notes.filter(({ path }) => paths.includes(path)).map(({ id }) => id);
    if (ids.length === 0) return null;
    await client.notes.retry({ ids });
    await indexVault(this.#world, vault);
    return `${vault.root} ${paths.join(', ')}`;
  }

  async removeVault(): Promise<string | null> {
    const { client, now } = this.#world;
    const vault = this.#anyVault();
    if (!vault) return null;
    await client.vaults.remove({ id: vault.id });
    vault.removedAt = now;
    return `${vault.root}`;
  }

  async restoreVault(): Promise<string | null> {
    const { dice, client, state, now } = this.#world;
    const removed = state.vaults.filter(({ removedAt }) => removedAt !== null && removedAt >= now - UNDO_MS);
    if (removed.length === 0) return null;
    const vault = dice.pick(removed);
    if (vaultsInUse(state).some(({ root }) => root === vault.root)) return null;
    await client.vaults.restore({ id: vault.id });
    vault.removedAt = null;
    await indexVault(this.#world, vault);
    return `${vault.root}`;
  }

  async addVault(): Promise<string | null> {
    const { dice, client, disk, state } = this.#world;
    const root = this.#root();
    if (vaultsInUse(state).some((vault) => vault.root === root)) return null;
    const removed = state.vaults.find((vault) => vault.root === root);
    const patterns = dice.some(Object.keys(PATTERNS), dice.between(0, 1));
    const { id } = await client.vaults.add({ path: disk.root(root).path, ignorePatterns: patterns });
    if (removed) {
      same('the vault that was added again', id, removed.id);
      removed.removedAt = null;
      if (patterns.length > 0) removed.patterns = patterns;
    } else state.vaults.push({ id, root, patterns, paused: false, removedAt: null, notes: new Map() });
    await indexVault(this.#world, state.vaults.find((vault) => vault.id === id) as ModelVault);
    return `${root} ${patterns.join(', ')}`;
  }

  #named(root: number, path: string): string {
    return `${root} ${path} ${wordsOf(this.#world.disk.root(root).files.get(path) ?? '').join(' ')}`;
  }

  #root(): number {
    return this.#world.dice.between(0, this.#world.disk.roots.length - 1);
  }

  /** One of the vaults in use; null if there is none. */
  #anyVault(): ModelVault | null {
    const vaults = vaultsInUse(this.#world.state);
    return vaults.length === 0 ? null : this.#world.dice.pick(vaults);
  }

  /** A note on the disk; the first one of a vault only if it may be. */
  #anyNote(mayBeFirst: boolean): FoundNote | null {
    const { dice, disk } = this.#world;
    const root = this.#root();
    const paths = [...disk.root(root).files.keys()].filter((path) => mayBeFirst || path !== FIRST);
    if (paths.length === 0) return null;
    const path = dice.pick(paths);
    return { root, path, text: disk.root(root).files.get(path) as string };
  }

  #freePath(root: number): string | null {
    const { dice, disk } = this.#world;
    const chance = dice.random();
    const extension = chance < 0.05 ? ' (conflicted copy 2024-01-01).md' : chance < 0.1 ? '.markdown' : '.md';
    const name = `${dice.pick(NAMES)}${dice.chance(0.5) ? ` ${dice.between(1, 9)}` : ''}`;
    const path = `${dice.pick(FOLDERS)}${name}${extension}`.normalize(dice.pick(['NFC', 'NFD']));
    return disk.has(root, path) ? null : path;
  }

  #note(chance: number): string {
    const text = () => this.#world.text();
    if (chance < 0.04) return `${text()}\0`;
    if (chance < 0.08) return `---\ntags: [a, b\n---\n\n${text()}`;
    if (chance < 0.2) return `---\ntags: [${this.#world.word()}]\n---\n\n# Titre ${text()}\n\n${text()}`;
    if (chance < 0.5)
      return `# Titre ${text()}\n\n${text()}\n\n## Partie\n\n${text()}\n\n## Autre\n\n${text()}`;
    return `${text()}\n\n${text()}`;
  }
}

/** Has a vault in use indexed to the end; the model then knows what is on the disk. */
export async function indexVault(world: World, vault: ModelVault): Promise<void> {
  await readAll(world.client.vaults.index({ path: world.disk.root(vault.root).path }));
  knowNotes(world, vault);
}

/** Has the model know of a vault what is on the disk, because the core was made to look there. */
export function knowNotes({ disk }: World, vault: ModelVault): void {
  vault.notes = disk.indexed(vault.root, vault.patterns);
}

async function readAll(events: Promise<AsyncIterable<unknown>>): Promise<void> {
  for await (const _ of await events);
}
