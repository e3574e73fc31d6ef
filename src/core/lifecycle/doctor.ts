import { basename } from 'node:path';
import type { DoctorReport, Finding } from '../../shared/contract/app.ts';
import type { Language } from '../../shared/errors.ts';
import { AppError, codeOf } from '../../shared/errors.ts';
import { factsNoteIn } from '../../shared/factsNote.ts';
import { chosenLanguage } from '../../shared/settings.ts';
import type { VectorIndexer } from '../embedding/vectorIndexer.ts';
import { KINDS } from '../items/index.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { checkFullText, compareFullText, rebuildFullText } from '../search/lexical/fullTextRepair.ts';
import type { AttachmentStore } from '../storage/attachments.ts';
import type { ConversationStore } from '../storage/conversations.ts';
import type { Db } from '../storage/database.ts';
import type { FactStore } from '../storage/facts.ts';
import type { NoteRecord } from '../storage/notes/noteRows.ts';
import type { NoteStore } from '../storage/notes/noteStore.ts';
import type { NoticeStore } from '../storage/notices.ts';
import type { Remedy, RowReport } from '../storage/rowCheck.ts';
import type { SettingsStore } from '../storage/settings.ts';
import type { SummaryStore } from '../storage/summaries.ts';
import type { VaultRecord, VaultStore } from '../storage/vaults.ts';
import type { Clock } from '../support/clock.ts';
import { sha256 } from '../support/ids.ts';
import type { Logger } from '../support/logger.ts';
import { readIgnoreRules } from '../vaults/obsidian/ignore.ts';
import { readNote } from '../vaults/obsidian/readNote.ts';
import { walkVault } from '../vaults/obsidian/walk.ts';
import type { Vaults } from '../vaults/registry.ts';
import { isUnknown } from '../vaults/walkDifference.ts';
import { checkIntegrity, notesWithMissingChunks } from './diagnostics.ts';
import { adoptOrphans, rebuildIndexes } from './repairRows.ts';
import { deriveAgain, restoreRows } from './restoreRows.ts';
import type { RowChecks } from './rowChecks.ts';

export interface DoctorPorts {
  db: Db;
  vaultStore: VaultStore;
  vaults: Vaults;
  notes: NoteStore;
  conversations: ConversationStore;
  factStore: FactStore;
  summaries: SummaryStore;
  attachments: AttachmentStore;
  clock: Clock;
  vectors: VectorIndexer;
  jobs: Jobs;
  notices: NoticeStore;
  rowChecks: RowChecks;
  settings: SettingsStore;
  systemLanguage: Language;
  log: Logger;
}

/**
 * Compares rows, full text, vectors, jobs and the vaults on disk that are not paused. Reconciles vaults first, as at every start, so
 * that notes changed while the app was closed do not count as damage. With `repair`, derives damaged data again and compares a second
 * time: findings that have gone are marked as repaired.
 */
export async function examine(ports: DoctorPorts, repair: boolean): Promise<DoctorReport> {
  const before = await compareRows(ports);
  const first = await look(ports, before);
  if (!repair || first.ok) return first;
  const lost = await mend(ports, first.findings, before);
  const after = await compareRows(ports);
  const second = await look(ports, { ...after, remedies: [...lost, ...after.remedies] });
  const left = new Set(second.findings.map((finding) => `${finding.code} ${finding.what}`));
  const repaired = first.findings
    .filter((finding) => !left.has(`${finding.code} ${finding.what}`))
    .map((finding) => ({ ...finding, repaired: true }));
  return { ok: second.ok, findings: [...second.findings, ...repaired], checked: second.checked };
}

/** Rows that are not what was written, with what mends them. */
interface RowFindings extends Omit<RowReport, 'rows'> {
  remedies: Remedy[];
  /** Why rows cannot be read; null if they can. */
  unreadable: string | null;
}

async function compareRows({ rowChecks }: DoctorPorts): Promise<RowFindings> {
  try {
    const { rows, derived, schema } = await rowChecks.find();
    const remedies = rows.length === 0 ? [] : await rowChecks.remedies(rows);
    return { derived, schema, remedies, unreadable: null };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'DATABASE_DAMAGED') throw error;
    return { derived: [], schema: [], remedies: [], unreadable: String(error.params.reason) };
  }
}

async function look(ports: DoctorPorts, rows: RowFindings): Promise<DoctorReport> {
  const { db, vaultStore, notes } = ports;
  const findings: Finding[] = [];
  const found = (code: Finding['code'], what: string) => findings.push({ code, what, repaired: false });

  if (rows.unreadable !== null) found('database-damaged', rows.unreadable);
  for (const name of rows.schema) found('database-damaged', `schema ${name}`);
  for (const remedy of rows.remedies) found('row-damaged', describe(remedy));
  for (const { kind, id } of rows.derived) found('derived-damaged', `${kind} ${id}`);

  const { damaged, brokenReferences } = checkIntegrity(db);
  for (const line of damaged) found('database-damaged', line);
  for (const line of brokenReferences) found('foreign-key', line);

  // A paused vault may lag behind its folder.
  for (const vault of vaultStore.list().filter(({ paused }) => !paused)) {
    if (await reconcile(vault, ports, found)) await compareWithDisk(vault, ports, found);
  }
  for (const note of notesWithMissingChunks(db)) found('note-without-chunks', note.path);

  for (const index of KINDS) {
    try {
      checkFullText(db, index);
    } catch (error) {
      ports.log.warn({ index, err: error }, 'full-text index is damaged');
      found('full-text-damaged', index);
    }
    const { missing, orphans } = compareFullText(db, index);
    for (const rowid of missing) found('full-text-missing', `${index} ${rowid}`);
    for (const rowid of orphans) found('full-text-orphan', `${index} ${rowid}`);
  }
  for (const kind of ports.jobs.unknownKinds()) found('job-unknown', kind);
  // An expired fact should have no vector, but the job that removes it may not have run yet.
  ports.factStore.expireDue(ports.clock.now());
  await ports.vectors.settled();
  for (const { kind, id, problem } of await ports.vectors.compare())
    found(`vector-${problem}`, `${kind} ${id}`);
  const counts = notes.counts();
  return {
    ok: findings.length === 0,
    findings,
    checked: {
      vaults: vaultStore.list().length,
      notes: counts.indexed + counts.skipped + counts.failed + counts.pending,
      chunks: counts.chunks,
      turns: ports.conversations.countTurns(),
      vectors: ports.vectors.progress().vectors,
    },
  };
}

type Found = (code: Finding['code'], what: string) => void;

/** @returns whether the vault's folder can be compared with its rows */
async function reconcile(vault: VaultRecord, { vaults, log }: DoctorPorts, found: Found): Promise<boolean> {
  try {
    await vaults.indexer(vault.id).reconcile();
    return true;
  } catch (error) {
    log.warn({ vaultId: vault.id, code: codeOf(error).code }, 'vault could not be reconciled');
    found('vault-unavailable', vault.path);
    return false;
  }
}

async function compareWithDisk(
  vault: VaultRecord,
  { notes, settings, log }: DoctorPorts,
  found: Found,
): Promise<void> {
  const rows = new Map(notes.inVault(vault.id).map((note) => [note.path, note]));
  let walk: Awaited<ReturnType<typeof walkVault>>;
  try {
    walk = await walkVault(
      vault.path,
      await readIgnoreRules(
        vault.path,
        vault.ignorePatterns,
        factsNoteIn(settings.read().factsNote, vault.id),
      ),
    );
  } catch (error) {
    // The reconciliation has already reported the vault as unavailable.
    log.warn(
      { vaultId: vault.id, code: (error as { code?: string }).code ?? 'UNKNOWN' },
      'vault cannot be walked',
    );
    return;
  }
  for (const file of walk.files) {
    const note = rows.get(file.path);
    rows.delete(file.path);
    if (!note) found('note-not-indexed', file.path);
    else if (await isStale(vault, note, file.mtimeMs)) found('note-stale', file.path);
  }
  for (const { path, reason } of walk.obstacles) {
    rows.delete(path);
    found(reason, path);
  }
  for (const path of rows.keys()) if (!isUnknown(path, walk)) found('note-missing-on-disk', path);
}

async function isStale(vault: VaultRecord, note: NoteRecord, mtimeMs: number): Promise<boolean> {
  if (note.status !== 'indexed') return note.status === 'pending';
  if (note.mtimeMs === mtimeMs) return false;
  const file = await readNote(vault.path, note.path);
  return file.kind !== 'content' || sha256(file.content) !== note.contentHash;
}

/** Findings after which every full text is written again. SQLite's own check looks into full texts too. */
const FULL_TEXT: ReadonlySet<string> = new Set<Finding['code']>([
  'full-text-damaged',
  'full-text-missing',
  'full-text-orphan',
  'database-damaged',
  'foreign-key',
]);

/** The row, and the copy that holds it, if one does. */
function describe(remedy: Remedy): string {
  const { kind, key } = remedy.row;
  const copy = remedy.kind === 'copied' || remedy.kind === 'none' ? remedy.copy : null;
  return copy === null ? `${kind} ${key}` : `${kind} ${key} (${basename(copy)})`;
}

/** @returns the damaged rows that could not be brought back */
async function mend(
  ports: DoctorPorts,
  findings: readonly Finding[],
  { remedies, derived }: RowFindings,
): Promise<Remedy[]> {
  const { db, notes, vaults, vectors, jobs, notices, log } = ports;
  const has = (code: Finding['code']) => findings.some((finding) => finding.code === code);
  if (has('database-damaged')) rebuildIndexes(db, log);
  const stores = {
    db,
    vaults: ports.vaultStore,
    notes,
    conversations: ports.conversations,
    facts: ports.factStore,
    summaries: ports.summaries,
    attachments: ports.attachments,
  };
  const lost = restoreRows(stores, remedies, log);
  deriveAgain(stores, derived);
  if (has('foreign-key')) {
    const language = chosenLanguage(ports.settings.read().language, ports.systemLanguage);
    adoptOrphans(stores, language);
  }
  const incomplete = notesWithMissingChunks(db);
  if (incomplete.length > 0) {
    // The reconciliation of the second pass reads them from disk again.
    notes.setPending(incomplete.map((note) => note.id as NoteRecord['id']));
  }
  if (findings.some(({ code }) => FULL_TEXT.has(code))) {
    for (const index of KINDS) rebuildFullText(db, index);
  }
  if (findings.some(({ code }) => code === 'job-unknown')) jobs.repair();
  if (findings.some(({ code }) => code.startsWith('vector-'))) await vectors.rebuild();
  if (lost.length === 0 && checkIntegrity(db).damaged.length === 0) notices.dismiss('database-damaged');
  log.info({ findings: findings.length, vaults: vaults.list().length }, 'repaired what can be derived');
  return lost;
}
