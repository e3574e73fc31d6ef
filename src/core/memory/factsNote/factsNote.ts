import PQueue from 'p-queue';
import type { Fact } from '../../../shared/contract/facts.ts';
import type { FactsNoteStatus } from '../../../shared/contract/factsNote.ts';
import { AppError, codeOf, type Language } from '../../../shared/errors.ts';
import type { FactId } from '../../../shared/ids.ts';
import type { JobKind } from '../../jobs/jobKind.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { Db } from '../../storage/database.ts';
import type { FactLines } from '../../storage/factLines.ts';
import type { FactStore } from '../../storage/facts.ts';
import type { NoticeStore } from '../../storage/notices.ts';
import type { Clock } from '../../support/clock.ts';
import type { Logger } from '../../support/logger.ts';
import type { Facts } from '../facts/facts.ts';
import { idOfMark, markOf } from './marks.ts';
import { lineText, type NoteFile, readLines } from './readLines.ts';
import {
  conflictKey,
  hashOf,
  isConflictKey,
  type KnownFact,
  type Reconciled,
  reconcile,
  type Sides,
} from './reconcile.ts';
import { NOTE_OPENING, newNote, type Rewritten, rewriteNote, type ShownFact } from './writeLines.ts';

/** Where the note is. */
export interface NotePlace {
  vaultId: string;
  /** The vault's folder. */
  root: string;
  /** Relative to it. */
  path: string;
}

/** The file of the note, as the vault's folder gives it. */
export interface NoteAccess {
  /** @throws AppError if it cannot be the note, or cannot be reached */
  read(place: NotePlace): Promise<Buffer | null>;
  /**
   * @param before what the file held when it was read; null if there was none
   * @returns false if it holds something else by now, and nothing was written
   * @throws AppError
   */
  write(place: NotePlace, content: Buffer, before: Buffer | null): Promise<boolean>;
}

export interface FactsNotePorts {
  db: Db;
  store: FactStore;
  facts: Facts;
  lines: FactLines;
  jobs: Jobs;
  notices: NoticeStore;
  clock: Clock;
  log: Logger;
  file: NoteAccess;
  /** The place that a value of the setting names; null if there is to be no note. @throws AppError if its vault is not there */
  placeOf(setting: string): NotePlace | null;
  /** The setting. */
  setting(): string;
  language(): Language;
  /** What `status` says has changed. */
  onChange(): void;
}

export type Answer = 'restore' | 'forget';

const KIND = 'write-facts-note';
/** Several facts are often learnt within a moment; each write of the note is one more for what syncs the vault. */
const GATHERING_MS = 300;
/** The note is changed by somebody else while it is written: so often it is begun anew before that is put off. */
const PASSES = 4;
const LATER_MS = 5_000;
/** Refused lines that are told. */
const REFUSED_TOLD = 20;
/** These last until somebody acts; looking at the vault looks at the note too. All others pass by themselves. */
const UNTIL_SOMEBODY_ACTS: ReadonlySet<string> = new Set([
  'FACTS_NOTE_FOREIGN',
  'FACTS_NOTE_NO_FILE',
  'FACTS_NOTE_TOO_LARGE',
  'NOT_FOUND',
]);

const NOTHING: FactsNoteStatus = { problem: null, asked: null, refused: [], writtenAt: null };

/**
 * Keeps the facts in use and one note of a vault equal, in both directions. It is the only note that Souvenir writes, and only once the user
 * has chosen it. What its lines say is taken for the user's own words, as if typed in the window, because the user chose the note and
 * who may write in it; still no line can state an identity, or be as important as to be given whatever is asked.
 *
 * Reading, comparing and writing lines are pure functions in files of their own. What is left is one transaction of the two truths, note and
 * facts, with the state that tells where it stands: it is read from top to bottom.
 */
export class FactsNote {
  readonly #ports: FactsNotePorts;
  /** One pass after the other. */
  readonly #queue = new PQueue({ concurrency: 1 });
  #status = NOTHING;
  #timer: NodeJS.Timeout | null = null;

  constructor(ports: FactsNotePorts) {
    this.#ports = ports;
  }

  get status(): FactsNoteStatus {
    return this.#status;
  }

  job(): JobKind {
    return { kind: KIND, handler: ({ signal }) => this.sync({ signal }) };
  }

  /** Has note and facts compared soon, after either changed. */
  wake(): void {
    if (this.#ports.setting() !== '') this.#begin();
  }

  /**
   * Can the note that a value of the setting names be written?
   * @throws AppError FACTS_NOTE_FOREIGN, FACTS_NOTE_NO_FILE, FACTS_NOTE_TOO_LARGE, and what keeps it from being read
   */
  async check(setting: string): Promise<void> {
    const { file, placeOf } = this.#ports;
    const place = placeOf(setting);
    const text = place && (await file.read(place))?.toString('utf8');
    if (place && text && !isNothing(text) && !readLines(text).hasMarker)
      throw new AppError('FACTS_NOTE_FOREIGN', { path: place.path });
  }

  /** The setting names another note, or none. What was written until now stays where it is. */
  moved(): void {
    this.#ports.notices.dismiss('facts-note-loss');
    this.#set(NOTHING);
    this.#begin();
  }

  #begin(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#ports.jobs.enqueue(KIND, '');
    }, GATHERING_MS);
  }

  /** Writes what is still to be written: a command that forgets something may end before the job has begun. */
  async close(): Promise<void> {
    if (this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#timer = null;
      try {
        await this.sync();
      } catch (error) {
        // The next start compares them again.
        this.#ports.log.warn({ err: error }, 'the facts note could not be written before the end');
      }
    }
    await this.#queue.onIdle();
  }

  /**
   * Compares note and facts, and makes them equal.
   * @param answer what is to become of facts whose lines are gone, where the user was asked
   * @throws AppError what stands in the way and will pass; what will not is in `status`
   */
  async sync({ signal, answer }: { signal?: AbortSignal; answer?: Answer } = {}): Promise<void> {
    await this.#queue.add(async () => {
      try {
        await this.#pass({ signal, answer });
      } catch (error) {
        signal?.throwIfAborted();
        const problem = codeOf(error);
        this.#set({ ...this.#status, problem });
        if (!UNTIL_SOMEBODY_ACTS.has(problem.code)) throw error;
      }
    });
  }

  /** The facts that note and window changed at once, with the wording of the note. */
  conflicts(): { fact: Fact; note: string }[] {
    const { lines, facts, clock } = this.#ports;
    return lines.conflicts(clock.now()).flatMap(({ id, content }) => {
      const [fact] = facts.getAll([id]);
      return fact ? [{ fact, note: content }] : [];
    });
  }

  /**
   * Ends a conflict: keeps the fact's wording or the note's, the other as an earlier one, or both as two facts.
   * @throws AppError NOT_FOUND
   */
  settleConflict(id: FactId, keep: 'fact' | 'note' | 'both'): Fact {
    const { lines, facts, store, clock } = this.#ports;
    return store.inTransaction(() => {
      const [fact] = facts.getAll([id]);
      const note = lines.conflictOf(id);
      if (!fact || note === undefined) throw new AppError('NOT_FOUND', { what: 'conflict' });
      lines.removeConflict(id);
      if (keep === 'fact') store.keepWording(id, note, clock.now());
      if (keep === 'note') facts.edit(id, { content: note });
      if (keep === 'both') this.#add(note, fact.kind, null);
      return facts.getAll([id])[0] as Fact;
    });
  }

  async #pass({
    signal,
    answer,
  }: {
    signal: AbortSignal | undefined;
    answer: Answer | undefined;
  }): Promise<void> {
    for (let pass = 0; pass < PASSES; pass += 1) {
      const place = this.#ports.placeOf(this.#ports.setting());
      if (!place) {
        this.#set(NOTHING);
        return;
      }
      const before = await this.#ports.file.read(place);
      signal?.throwIfAborted();
      if (await this.#make(place, before, answer)) return;
    }
    this.#ports.jobs.enqueue(KIND, '', { dueAt: this.#ports.clock.now() + LATER_MS });
  }

  /** @returns false if the note changed meanwhile */
  async #make(place: NotePlace, before: Buffer | null, answer: Answer | undefined): Promise<boolean> {
    const { file, lines, clock } = this.#ports;
    const text = before?.toString('utf8') ?? '';
    const note = isNothing(text) ? null : readLines(text);
    const name = `${place.vaultId} ${place.path}`;
    const agreed = lines.agreed(name);
    const known = this.#known();
    const marks = new Map([...known.keys()].map((id) => [markOf(id), id]));
    const idOf = (mark: string) => marks.get(mark) ?? idOfMark(mark);
    const isOurs = note === null || note.hasMarker || note.facts.some(({ mark }) => agreed.has(idOf(mark)));
    if (!isOurs) throw new AppError('FACTS_NOTE_FOREIGN', { path: place.path });
    const { is, shown } = this.#takeOver(note, { facts: known, agreed, idOf }, answer);
    const isAsked = is.asked.length > 0;
    const of = [...agreed.keys()].filter((key) => !isConflictKey(key)).length;
    if (!(isAsked && note === null)) {
      const after = this.#render(note, is, shown);
      const written =
        note !== null && after === text ? true : await file.write(place, Buffer.from(after), before);
      if (!written) return false;
      lines.agree(name, agreedNow(is, shown, agreed), agreed);
    }
    this.#ask(is.asked.length, of);
    this.#set({
      problem: null,
      asked: isAsked ? { missing: is.asked.length, of } : null,
      refused: is.refused.slice(0, REFUSED_TOLD).map(({ line, reason }) => ({ line: line.at + 1, reason })),
      writtenAt: clock.now(),
    });
    return true;
  }

  /** Takes over what the note changes, in one transaction. @returns that, and the facts in use afterwards */
  #takeOver(
    note: NoteFile | null,
    before: Pick<Sides, 'facts' | 'agreed' | 'idOf'>,
    answer: Answer | undefined,
  ): { is: Reconciled; shown: Map<FactId, ShownFact> } {
    const { store, facts, lines, clock } = this.#ports;
    return store.inTransaction(() => {
      const is = reconcile(note, {
        ...before,
        wordingsOf: (id) => lines.wordingsOf(id),
        isForgotten: (text) => store.tombstones.has({ kind: 'content', content: text }),
      });
      if (answer === 'forget') is.removed.push(...is.asked);
      if (answer !== undefined) {
        is.asked = [];
        is.dropped.push(...is.rests);
      }
      for (const { id, text } of is.edited) {
        this.#closeConflict(id, text);
        facts.edit(id, { content: text });
      }
      for (const id of is.settled) this.#closeConflict(id);
      for (const { id, text } of is.conflicts) {
        // It is known already if the note could not be written then.
        if (lines.conflictOf(id) === text) continue;
        this.#closeConflict(id);
        lines.setConflict(id, text, clock.now());
      }
      for (const { line, text, kind, id } of is.added) is.lines.set(this.#add(text, kind, id), line);
      if (is.removed.length > 0) facts.remove(is.removed);
      const isChanged = [is.edited, is.settled, is.conflicts, is.added, is.removed].some(
        (some) => some.length > 0,
      );
      const known = isChanged ? this.#known() : before.facts;
      const shown = new Map(
        [...known.values()].map(({ id, text, kind, conflict }) => [
          id,
          { mark: markOf(id), text, kind, conflict },
        ]),
      );
      return { is, shown };
    });
  }

  #known(): Map<FactId, KnownFact> {
    const { lines, clock } = this.#ports;
    return new Map(
      lines
        .inUse(clock.now())
        .map(({ id, kind, content, conflict }) => [id, { id, kind, text: lineText(content), conflict }]),
    );
  }

  /** The wording of the note that is not kept becomes an earlier one of the fact. */
  #closeConflict(id: FactId, kept?: string): void {
    const { store, lines, clock } = this.#ports;
    const wording = lines.conflictOf(id);
    if (wording === undefined) return;
    if (wording !== kept) store.keepWording(id, wording, clock.now());
    lines.removeConflict(id);
  }

  #add(content: string, kind: Fact['kind'], id: FactId | null): FactId {
    return this.#ports.facts.add({
      content,
      kind,
      subjects: [],
      importance: 0.5,
      ttl: null,
      ...(id === null ? {} : { id }),
    }).id;
  }

  #render(note: NoteFile | null, is: Reconciled, shown: ReadonlyMap<FactId, ShownFact>): string {
    const { language } = this.#ports;
    if (!note) return newNote([...shown.values()], language());
    const rewritten: Rewritten[] = is.dropped.map((line) => ({ line, fact: null }));
    for (const [id, line] of is.lines) {
      const fact = shown.get(id) ?? null;
      const isSame = line.is === 'fact' && line.text === fact?.text && line.mark === fact.mark;
      if (!isSame || fact.conflict !== null) rewritten.push({ line, fact });
    }
    const standing = new Set([...is.lines.keys(), ...is.held, ...is.asked]);
    const added = [...shown].filter(([id]) => !standing.has(id)).map(([, fact]) => fact);
    return rewriteNote(note, { rewritten, added }, language());
  }

  /** Tells the user that lines are gone, or that it no longer matters. */
  #ask(missing: number, of: number): void {
    const { notices, clock } = this.#ports;
    const told = this.#status.asked?.missing ?? 0;
    if (missing === 0) notices.dismiss('facts-note-loss');
    else if (missing !== told)
      notices.add({ code: 'facts-note-loss', params: { missing, of }, at: clock.now() });
  }

  #set(status: FactsNoteStatus): void {
    const isNews = tellingOf(status) !== tellingOf(this.#status);
    this.#status = status;
    if (isNews) this.#ports.onChange();
  }
}

/** Is a note empty, or cut before its first line? */
const isNothing = (text: string): boolean => NOTE_OPENING.startsWith(text.replace(/\r/g, '').trim());

/** What of a status is worth telling: not each time that nothing has changed. */
const tellingOf = ({ writtenAt, ...status }: FactsNoteStatus): string =>
  JSON.stringify({ ...status, isWritten: writtenAt !== null });

/** How the lines stand once the note is written: what could not be compared stays as it was. */
function agreedNow(
  is: Reconciled,
  shown: ReadonlyMap<FactId, ShownFact>,
  before: ReadonlyMap<string, string>,
): Map<string, string> {
  const now = new Map<string, string>();
  for (const [id, { text, conflict }] of shown) {
    now.set(id, hashOf(text));
    if (conflict !== null) now.set(conflictKey(id), hashOf(conflict));
  }
  for (const id of [...is.asked, ...is.held]) {
    const hash = before.get(id);
    if (hash === undefined) now.delete(id);
    else now.set(id, hash);
  }
  return now;
}
