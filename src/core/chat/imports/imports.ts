import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ImportId, ImportPreview, ImportProgress } from '../../../shared/contract/imports.ts';
import type { JobKind, JobRun } from '../../jobs/jobKind.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import type { Facts } from '../../memory/facts/facts.ts';
import {
  type ImportFileName,
  type ImportPlace,
  type ImportRecord,
  ImportStore,
} from '../../storage/imports.ts';
import type { Clock } from '../../support/clock.ts';
import type { Logger } from '../../support/logger.ts';
import { addUp } from '../importConversations.ts';
import { addProblem, type Problems } from './history.ts';
import { HistoryReader } from './historyReader.ts';
import { Preview } from './preview.ts';
import type { Portion, ReadConversation } from './readPortion.ts';
import { StagedFiles } from './stagedFiles.ts';
import { type StorePorts, storeTurns } from './storeTurns.ts';
import { identified, type TurnToStore } from './turnsToStore.ts';

export interface ImportsPorts extends StorePorts {
  jobs: Pick<Jobs, 'enqueue' | 'cancel'>;
  facts: Facts;
  clock: Clock;
  log: Logger;
  /** Where files stand until they are imported. */
  folder: string;
  /** An import went on or ended: at most twice a second, and at its end. */
  onChange(): void;
  /** An import has ended; what was erased may have come back with it. */
  onEnd(): void;
}

export const IMPORT = 'import';
/** Channel of conversations whose file names none. */
const CHANNEL = 'import';
/** How long others wait for a portion that is stored, beyond its commit. */
const SLICE_MS = 15;
/** Turns that are stored without looking at the time, and UTF-16 code units of theirs: some milliseconds. */
const TURNS_AT_ONCE = 10;
const TEXT_AT_ONCE = 50_000;
const TELL_EVERY_MS = 500;
/** A hundred thousand turns on a slow disk, with their facts. */
const LEASE_MS = 24 * 3_600_000;
/** Turns before one in which a game or a story may have begun; see `openTurns`. */
const TURNS_BEFORE = 20;
/** A longer message of a history is a text that was pasted, and says nothing of the user. */
const LONGEST_STATEMENT = 20_000;

/** A turn, with the conversation in which it stands. */
interface TurnInPlace {
  conversation: ReadConversation;
  turn: TurnToStore;
}

/**
 * Imports histories of other programs from files. They are copied to the data folder first, so that a crash or the end of the program
 * interrupts an import only until the next start: what was done is written down in the commit that did it.
 */
export class Imports {
  readonly #ports: ImportsPorts;
  readonly #store: ImportStore;
  readonly #files: StagedFiles;
  readonly #closing = new AbortController();
  readonly #previews = new Set<Promise<unknown>>();
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(ports: ImportsPorts) {
    this.#ports = ports;
    this.#store = new ImportStore(ports.db);
    this.#files = new StagedFiles(ports.folder);
    this.#removeLeft();
  }

  /** @throws AppError DISK_FULL, DISK_FAILED */
  begin(files: readonly ImportFileName[]): ImportId {
    return this.#files.begin(files);
  }

  /** @throws AppError NOT_FOUND, BAD_INPUT, IMPORT_INVALID, DISK_FULL, DISK_FAILED */
  append(id: ImportId, piece: { file: number; from: number; text: string }): void {
    this.#files.append(id, piece);
  }

  /** Reads everything and stores nothing. @throws AppError NOT_FOUND, FILE_UNREADABLE, DISK_FAILED */
  async preview(id: ImportId): Promise<ImportPreview> {
    const { files } = this.#files.staged(id);
    const work = this.#preview(id, files);
    this.#previews.add(work);
    try {
      return await work;
    } finally {
      this.#previews.delete(work);
    }
  }

  /** @throws AppError NOT_FOUND */
  start(id: ImportId, { channel, learn }: { channel: string | null; learn: boolean }): void {
    const { db, jobs, clock } = this.#ports;
    const { files, bytes } = this.#files.staged(id);
    db.transaction(() => {
      this.#store.add({ id, files, channel, learn, bytesTotal: bytes, startedAt: clock.now() });
      jobs.enqueue(IMPORT, id);
    });
    this.#files.started(id);
    this.#ports.onChange();
  }

  cancel(id: ImportId): void {
    const { db, jobs, onChange, onEnd } = this.#ports;
    const isRunning = this.#store.get(id)?.state === 'running';
    db.transaction(() => {
      jobs.cancel(IMPORT, id);
      if (isRunning) this.#store.end(id, 'cancelled');
      else this.#store.remove(id);
    });
    this.#files.remove(id);
    if (isRunning) onEnd();
    onChange();
  }

  list(): ImportProgress[] {
    return this.#store.list().map((one) => ({
      id: one.id,
      names: one.files.map(({ name }) => name),
      channel: one.channel,
      learn: one.learn,
      state: one.state,
      bytes: { done: one.bytesDone, total: one.bytesTotal },
      counts: one.counts,
      problems: listed(one.problems),
      failure: one.state === 'running' ? this.#store.failure(IMPORT, one.id) : null,
      startedAt: one.startedAt,
    }));
  }

  job(): JobKind {
    return { kind: IMPORT, leaseMs: LEASE_MS, handler: (run) => this.#run(run) };
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('closed'));
    await Promise.allSettled(this.#previews);
  }

  /** Files that no import waits for: those of a start that was never given, and of an import that ended as the program did. */
  #removeLeft(): void {
    const running = this.#store.list().filter(({ state }) => state === 'running');
    try {
      this.#files.keepOnly(new Set(running.map(({ id }) => id)));
    } catch (error) {
      this.#ports.log.warn({ err: error }, 'files of ended imports cannot be removed');
    }
  }

  async #preview(id: ImportId, files: readonly ImportFileName[]): Promise<ImportPreview> {
    const preview = new Preview(this.#ports);
    const reader = new HistoryReader(this.#ports.log, this.#closing.signal);
    try {
      for (const [file, named] of files.entries())
        for (let from: number | null = 0; from !== null; ) {
          const request = { ...named, path: this.#files.path(id, file), from, withTerms: false };
          const portion: Portion = await reader.read(request);
          preview.add(portion);
          from = portion.next;
        }
      return preview.result();
    } finally {
      await reader.close();
    }
  }

  async #run({ subject, signal, commit }: JobRun): Promise<void> {
    const id = subject as ImportId;
    const record = this.#store.get(id);
    if (record?.state !== 'running') return;
    const { log, onChange, onEnd } = this.#ports;
    // A database that was restored, or brought from elsewhere, may know of files that are not here.
    const isHere = record.files.every((_, file) => this.#files.size(id, file) !== null);
    if (isHere) await this.#import(record, signal);
    commit(() => this.#store.end(id, isHere ? 'done' : 'cancelled'));
    this.#files.remove(id);
    log.info({ import: id, counts: record.counts, problems: record.problems }, 'import ended');
    onEnd();
    onChange();
  }

  async #import(record: ImportRecord, signal: AbortSignal): Promise<void> {
    const reader = new HistoryReader(this.#ports.log, signal);
    const read = ({ file, position }: Pick<ImportPlace, 'file' | 'position'>) => {
      const named = record.files[file];
      if (!named) return null;
      const request = { ...named, path: this.#files.path(record.id, file), from: position, withTerms: true };
      const reading = reader.read(request);
      // It may fail while the portion before is stored: whoever awaits it is told.
      reading.catch(() => undefined);
      return reading;
    };
    try {
      for (let reading = read(record); reading; ) {
        const portion = await reading;
        const next =
          portion.next === null
            ? { file: record.file + 1, position: 0 }
            : { file: record.file, position: portion.next };
        // The thread reads on while this one stores.
        reading = read(next);
        await this.#storePortion(record, portion, { next, signal });
      }
    } finally {
      await reader.close();
    }
  }

  /** Stores a portion in slices, each with how far it has come. */
  async #storePortion(
    record: ImportRecord,
    portion: Portion,
    { next, signal }: { next: Pick<ImportPlace, 'file' | 'position'>; signal: AbortSignal },
  ): Promise<void> {
    const turns = portion.conversations.flatMap((conversation) =>
      identified(this.#ports, conversation.id, conversation.turns).map((turn) => ({ conversation, turn })),
    );
    do {
      signal.throwIfAborted();
      this.#ports.db.transaction(() => {
        const until = performance.now() + SLICE_MS;
        do record.turnsDone += this.#storeSome(record, turns);
        while (record.turnsDone < turns.length && performance.now() < until);
        if (record.turnsDone >= turns.length) this.#finishPortion(record, portion, next);
        this.#store.advance(record);
      });
      this.#tell();
      await nextTurn();
    } while (record.turnsDone > 0);
  }

  #finishPortion(record: ImportRecord, portion: Portion, next: Pick<ImportPlace, 'file' | 'position'>): void {
    for (const problems of [portion.problems, ...portion.conversations.map((one) => one.problems)])
      for (const { problem, count } of listed(problems)) addProblem(record.problems, problem, count);
    const before = record.files
      .slice(0, next.file)
      .reduce((sum, _, file) => sum + (this.#files.size(record.id, file) ?? 0), 0);
    Object.assign(record, next, { turnsDone: 0, bytesDone: before + next.position });
  }

  /** Stores the next turns of one conversation. @returns how many */
  #storeSome(record: ImportRecord, turns: readonly TurnInPlace[]): number {
    const first = turns[record.turnsDone];
    if (!first) return 0;
    const { conversation } = first;
    const some: TurnToStore[] = [];
    let characters = 0;
    for (const one of turns.slice(record.turnsDone, record.turnsDone + TURNS_AT_ONCE)) {
      if (one.conversation !== conversation || characters > TEXT_AT_ONCE) break;
      some.push(one.turn);
      characters += one.turn.bodyTerms.length;
    }
    const channel = record.channel ?? conversation.channel ?? CHANNEL;
    const { id, title, titleTerms } = conversation;
    const createdAt = conversation.turns[0]?.messages[0]?.createdAt ?? 0;
    addUp(record.counts, storeTurns(this.#ports, { id, channel, title, titleTerms, createdAt }, some));
    if (record.learn) for (const turn of some) record.counts.facts += this.#learn(turn, channel);
    return some.length;
  }

  /** What the user states plainly in a turn that is shown waits for their word. @returns how many facts */
  #learn(turn: TurnToStore, channel: string): number {
    const { facts, conversations } = this.#ports;
    // What was forgotten of the history is not stored, and teaches nothing.
    if (!turn.isShown || !conversations.turn(turn.id)) return 0;
    const own = (some: readonly TurnToStore[]) =>
      some
        .flatMap(({ messages }) => messages)
        .filter(
          ({ role, author, content }) =>
            role === 'user' && author === null && content.length <= LONGEST_STATEMENT,
        );
    const before: TurnToStore[] = [];
    for (let one = turn.after; one && before.length < TURNS_BEFORE; one = one.after) before.unshift(one);
    const earlier = own(before);
    let count = 0;
    for (const message of own([turn])) {
      const origin = { turnId: turn.id, messageId: message.id, channel };
      count += facts.suggestFrom(message, origin, earlier);
      earlier.push(message);
    }
    return count;
  }

  #tell(): void {
    const now = performance.now();
    if (now - this.#toldAt < TELL_EVERY_MS) return;
    this.#toldAt = now;
    this.#ports.onChange();
  }
}

function listed(problems: Problems): ImportProgress['problems'] {
  return (Object.entries(problems) as [keyof Problems, number][]).map(([problem, count]) => ({
    problem,
    count,
  }));
}
