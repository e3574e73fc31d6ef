import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Source } from '../../../shared/contract/prompt.ts';
import type { Summary, SummaryMaker } from '../../../shared/contract/summaries.ts';
import { AppError } from '../../../shared/errors.ts';
import type { ConversationId, SummaryId, TurnId } from '../../../shared/ids.ts';
import type { JobKind, JobRun } from '../../jobs/jobKind.ts';
import type { SummaryContent, SummaryStore } from '../../storage/summaries.ts';
import { type Clock, monotonicMs } from '../../support/clock.ts';
import { extractFromSummaries, extractFromTurn } from './extract.ts';
import type { ModelSummaries } from './modelSummaries.ts';
import { nextRollUp } from './rollUp.ts';
import { readSource, type SourcePorts, type TurnSource } from './source.ts';

/** Names of the job kinds, so that they can be paused. */
export const SUMMARISE = 'summarise';
export const SUMMARISE_TURN = 'summarise-turn';
export const ROLL_UP = 'roll-up';

/** Turns that are summarised by rules in one commit: some ten milliseconds. */
const PORTION = 10;
/** A turn that has ended is summarised before the next one is asked. */
const REST_MS = 1_000;
/** Calls to the model at the same time: a server with several slots does both, one with one slot queues them. */
const CALLS_AT_ONCE = 2;
/** What a model cannot sum up eight times in a row, which takes an hour, it will not sum up later. */
const MOST_ATTEMPTS = 8;

export interface SummariesPorts extends SourcePorts {
  summaries: SummaryStore;
  models: Pick<ModelSummaries, 'isWanted' | 'summariseTurn' | 'summariseSummaries'>;
  clock: Clock;
  /** Adds a job in the caller's transaction; what is newest has the lowest priority. */
  enqueue(kind: string, subject: string, priority: number): void;
  /** Is there a job of this kind and subject, in whatever state? */
  isQueued(kind: string, subject: string): boolean;
  /** Has schedules read once the present transaction has ended. */
  wake(): void;
  onChange(): void;
}

/**
 * Summarises turns, and rolls their summaries up. Rules do it first, for every turn, within moments of any change; where a model answers well, it
 * then writes better ones of what was said to it, while nobody needs it.
 */
export class Summaries {
  readonly #ports: SummariesPorts;

  constructor(ports: SummariesPorts) {
    this.#ports = ports;
  }

  /** To be called in the transaction that stores the end of a turn. */
  turnEnded({ turnId, isAnswered, at }: { turnId: TurnId; isAnswered: boolean; at: number }): void {
    const { models, enqueue, wake } = this.#ports;
    wake();
    if (isAnswered && models.isWanted()) enqueue(SUMMARISE_TURN, turnId, -at);
  }

  jobs(): JobKind[] {
    const { summaries, clock } = this.#ports;
    return [
      {
        kind: SUMMARISE,
        schedule: () => (summaries.isDue() ? clock.now() : null),
        restMs: REST_MS,
        handler: (run) => this.#summariseDue(run),
      },
      {
        kind: SUMMARISE_TURN,
        concurrency: CALLS_AT_ONCE,
        maxAttempts: MOST_ATTEMPTS,
        handler: (run) => this.#summariseTurn(run),
      },
      {
        kind: ROLL_UP,
        concurrency: CALLS_AT_ONCE,
        maxAttempts: MOST_ATTEMPTS,
        handler: (run) => this.#rollUpByModel(run),
      },
    ];
  }

  /** @throws AppError NOT_FOUND */
  get(id: SummaryId): Summary {
    const found = this.#ports.summaries.get(id);
    if (!found) throw new AppError('NOT_FOUND', { what: 'summary' });
    return found;
  }

  /** Gives a summary the user's own wording. What was made of the former one is made again. @throws AppError NOT_FOUND */
  correct(id: SummaryId, text: string): Summary {
    const { db, summaries, clock } = this.#ports;
    return db.transaction(() => {
      const { findings, files, tools, topics } = this.get(id);
      const at = clock.now();
      // What the user took out of the text is not to stand below it.
      const kept = findings.filter((finding) => text.includes(finding));
      summaries.write(id, { text, findings: kept, files, tools, topics }, { madeBy: 'user', at });
      this.remakeAbove(id);
      return this.get(id);
    });
  }

  /** Makes a summary anew, by rules at once and by the model once it is free. @throws AppError NOT_FOUND */
  regenerate(id: SummaryId): Summary {
    const { db, clock } = this.#ports;
    return db.transaction(() => {
      this.get(id);
      if (!this.rewrite(id, clock.now())) throw new AppError('NOT_FOUND', { what: 'summary' });
      return this.get(id);
    });
  }

  /**
   * Has a summary, in use or on a branch that is not shown, say what its turns say. In the caller's transaction.
   * @returns false if there is nothing that it could be made of
   */
  rewrite(id: SummaryId, at: number): boolean {
    const { summaries, models, enqueue } = this.#ports;
    const { level, turns, children } = summaries.madeOf(id);
    const [turn] = level === 1 ? turns : [];
    const source = turn === undefined ? null : readSource(this.#ports, turn);
    if (level === 1 && !source) return false;
    const content = source ? extractFromTurn(source) : extractFromSummaries(summaries.contents(children));
    summaries.write(id, content, { madeBy: 'rules', at });
    summaries.forgetSent(id);
    this.remakeAbove(id);
    if (models.isWanted()) enqueue(level === 1 ? SUMMARISE_TURN : ROLL_UP, turn ?? id, -at);
    return true;
  }

  /** Takes a summary away; its turns stay, and it is not made again. @throws AppError NOT_FOUND */
  remove(id: SummaryId): void {
    const { db, summaries, clock } = this.#ports;
    db.transaction(() => {
      this.get(id);
      this.remakeAbove(id);
      summaries.remove(id, clock.now());
    });
  }

  /** Has a summary made again that was taken away. */
  putBack(id: SummaryId): void {
    this.#ports.db.transaction(() => {
      this.#ports.summaries.putBack([id]);
      this.#ports.wake();
    });
  }

  /** What was made of a summary is made again of what it says now. In the caller's transaction. */
  remakeAbove(id: SummaryId): void {
    const { summaries, wake } = this.#ports;
    summaries.dropAbove(id);
    summaries.noteDue(summaries.madeOf(id).conversationId);
    wake();
  }

  async #summariseDue({ signal }: JobRun): Promise<void> {
    const { onChange } = this.#ports;
    let count = 0;
    for (let done = this.#summarisePortion(); done > 0; done = this.#summarisePortion()) {
      count += done;
      await nextTurn();
      signal.throwIfAborted();
    }
    if (count > 0) onChange();
  }

  /** Summarises some of the turns that are due, the latest first, and rolls up where all are done. @returns how many were due */
  #summarisePortion(): number {
    const { db, summaries } = this.#ports;
    return db.transaction(() => {
      const due = summaries.due(PORTION);
      for (const one of due) {
        if (one.turnId === '') this.#mend(one.conversationId);
        else this.#summarise(one.turnId);
        summaries.done(one);
      }
      for (const id of new Set(due.map(({ conversationId }) => conversationId)))
        if (!summaries.isConversationDue(id)) this.#rollUp(id);
      return due.length;
    });
  }

  #mend(conversationId: ConversationId): void {
    const { summaries, clock } = this.#ports;
    summaries.dropBroken(conversationId);
    for (const id of summaries.blank(conversationId)) this.rewrite(id, clock.now());
  }

  #summarise(turnId: TurnId): void {
    const { summaries } = this.#ports;
    if (summaries.ofTurn(turnId)) return;
    const startedAt = monotonicMs();
    const source = readSource(this.#ports, turnId);
    if (!source) return;
    this.#storeFirst(source, { ...extractFromTurn(source), madeBy: 'rules' });
    summaries.took(turnId, monotonicMs() - startedAt);
  }

  /** Stores the first summary of a turn. */
  #storeFirst(
    { turnId, conversationId, characters, madeFrom }: TurnSource,
    content: SummaryContent & { madeBy: SummaryMaker },
  ): void {
    this.#ports.summaries.store({
      ...content,
      conversationId,
      level: 1,
      turns: [turnId],
      children: [],
      characters,
      madeFrom,
      at: this.#ports.clock.now(),
    });
  }

  /** Rolls up what is ripe, level after level. */
  #rollUp(conversationId: ConversationId): void {
    const { summaries, conversations, clock } = this.#ports;
    const numbers = conversations.activeTurns(conversationId).map(({ ordinal }) => ordinal);
    for (;;) {
      const next = nextRollUp(summaries.notRolledUp(conversationId), numbers);
      if (!next) return;
      const children = next.children.flatMap((id) => summaries.get(id) ?? []);
      const at = clock.now();
      const id = summaries.store({
        ...extractFromSummaries(summaries.contents(next.children)),
        conversationId,
        level: next.level,
        turns: summaries.turnsBehind(next.children),
        children: next.children,
        characters: summaries.charactersOf(next.children),
        madeBy: 'rules',
        madeFrom: [...new Set(children.flatMap(({ madeFrom }): readonly Source[] => madeFrom))],
        at,
      });
      this.#askForRollUp(id);
    }
  }

  /**
   * Has the model sum up summaries once it has written those that it is asked for. Of what only rules have summed up, as imported
   * histories, no model is asked.
   */
  #askForRollUp(id: SummaryId | null): void {
    const { summaries, models, enqueue, isQueued, clock } = this.#ports;
    const found = id === null ? undefined : summaries.get(id);
    if (found?.madeBy !== 'rules' || !models.isWanted()) return;
    const children = found.childIds.flatMap((child) => summaries.get(child) ?? []);
    const isAwaited = children.some(({ id: child, level, turns }) =>
      level === 1 ? turns.some((turn) => isQueued(SUMMARISE_TURN, turn.id)) : isQueued(ROLL_UP, child),
    );
    if (!isAwaited && children.some(({ madeBy }) => madeBy !== 'rules'))
      enqueue(ROLL_UP, found.id, -clock.now());
  }

  async #summariseTurn({ subject, signal, commit }: JobRun): Promise<void> {
    const { summaries, models, clock, onChange } = this.#ports;
    const turnId = subject as TurnId;
    const source = readSource(this.#ports, turnId);
    const known = summaries.ofTurn(turnId);
    if (!source || known?.isRemoved || known?.madeBy === 'user') return;
    const startedAt = monotonicMs();
    const written = await models.summariseTurn(source, signal);
    if (!written) return;
    const tookMs = monotonicMs() - startedAt;
    commit(() => {
      // The turn may have been edited, answered again or forgotten while the model wrote.
      const now = readSource(this.#ports, turnId);
      if (!now || JSON.stringify(now.said) !== JSON.stringify(source.said)) return;
      const standing = summaries.ofTurn(turnId);
      if (standing?.isRemoved || standing?.madeBy === 'user') return;
      const content = { ...extractFromTurn(now), ...written };
      if (standing) {
        summaries.write(standing.id, content, { madeBy: 'model', at: clock.now() });
        this.#askForRollUp(summaries.get(standing.id)?.parentId ?? null);
      } else this.#storeFirst(now, { ...content, madeBy: 'model' });
      summaries.took(turnId, tookMs);
    });
    onChange();
  }

  async #rollUpByModel({ subject, signal, commit }: JobRun): Promise<void> {
    const { summaries, models, clock, onChange } = this.#ports;
    const id = subject as SummaryId;
    const found = summaries.get(id);
    if (!found || found.madeBy === 'user') return;
    const children = summaries.contents(found.childIds);
    const written = await models.summariseSummaries({ children, madeFrom: found.madeFrom }, signal);
    if (!written) return;
    commit(() => {
      const now = summaries.get(id);
      if (!now || now.madeBy === 'user' || now.childIds.join() !== found.childIds.join()) return;
      const content = { ...extractFromSummaries(summaries.contents(now.childIds)), ...written };
      summaries.write(id, content, { madeBy: 'model', at: clock.now() });
      this.#askForRollUp(now.parentId);
    });
    onChange();
  }
}
