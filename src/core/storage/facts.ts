import type { Fact, FactKind } from '../../shared/contract/facts.ts';
import type { FactId, MessageId, TurnId } from '../../shared/ids.ts';
import { parseTexts } from '../../shared/json.ts';
import { sha256 } from '../support/ids.ts';
import { countTerms, termStream } from '../support/text/tokenise.ts';
import type { Db } from './database.ts';
import { type Anchor, FactAnchors } from './factAnchors.ts';
import { FactLinks } from './factLinks.ts';
import { FactQueries } from './factQueries.ts';
import type { FactColumns } from './factRows.ts';
import { addRevision, takeBackWordings } from './learnt.ts';
import { type Forgotten, Tombstones } from './tombstones.ts';
import { addSaying, markUnsaid } from './unsaid.ts';

export interface NewFact {
  id: FactId;
  content: string;
  kind: FactKind;
  /** The single-valued relation that it gives its value. */
  states?: { entity: string; relation: string; value: string | null } | null;
  subjects: string[];
  importance: number;
  source: Fact['source'];
  channel: string | null;
  turnId: TurnId | null;
  messageId?: MessageId | null;
  expiresAt: number | null;
  createdAt: number;
  /** From 0 to 1; 1 by default. */
  confidence?: number;
  /** The block of a note that it was learnt from. */
  anchor?: Anchor | null;
  /** From 0 to 1, less than 1, if the user has yet to confirm it; null if it is current. */
  pending?: number | null;
}

/** Where a fact comes from that the user did not say in so many words. */
export interface Suggested {
  /** From 0 to 1, less than 1. */
  confidence: number;
  /** The block of a note that says it; null if none does. */
  anchor: Anchor | null;
}

/** What an edit may change of a fact. */
export interface FactChange {
  content?: string | undefined;
  kind?: FactKind | undefined;
  subjects?: string[] | undefined;
  importance?: number | undefined;
  pinned?: boolean | undefined;
  /** Of its relation; null if the wording was changed by hand. */
  value?: string | null | undefined;
  expiresAt?: number | null | undefined;
}

/**
 * Facts with their earlier wordings and full text. `onChange` is called after each commit that changed what facts say or their state.
 * Reading, edges, people, merges and tombstones are files of their own; every change of a row of `facts` is here, so that none can leave
 * its full text, its people or its tombstones behind.
 */
export class FactStore extends FactQueries {
  readonly #onChange: () => void;
  readonly links: FactLinks;
  readonly tombstones: Tombstones;
  readonly anchors: FactAnchors;

  constructor(db: Db, onChange: () => void) {
    super(db);
    this.links = new FactLinks(db);
    this.tombstones = new Tombstones(db);
    this.anchors = new FactAnchors(db, onChange);
    this.#onChange = onChange;
  }

  /** Runs `work` in a transaction, all or nothing. */
  inTransaction<T>(work: () => T): T {
    return this.db.transaction(work);
  }

  insert(fact: NewFact): void {
    const { states, subjects, messageId = null, anchor, pending = null, confidence = 1, ...rest } = fact;
    this.db.transaction(() => {
      this.db.run(
        `INSERT INTO facts (id, content, kind, key, entity, relation, value, subjects, importance, source, channel, turn_id,
                            message_id, created_at, updated_at, expires_at, subject_terms, body_terms, term_count, state, confidence)
         VALUES (@id, @content, @kind, @entity || '.' || @relation, @entity, @relation, @value, @subjects, @importance, @source,
                 @channel, @turnId, @messageId, @createdAt, @createdAt, @expiresAt, '', '', 0, @state, @confidence)`,
        {
          ...rest,
          entity: states?.entity ?? null,
          relation: states?.relation ?? null,
          value: states?.value ?? null,
          subjects: JSON.stringify(subjects),
          messageId,
          state: pending === null ? 'current' : 'pending',
          confidence: pending ?? confidence,
        },
      );
      if (anchor) this.anchors.set(fact.id, anchor);
      this.writeTerms(fact.id);
    });
  }

  /**
   * Changes a fact; a new wording makes the old one a revision.
   * @param by when it happens, in milliseconds since 1970, and the turn that teaches the new wording, if one does
   */
  change(id: FactId, change: FactChange, by: { at: number; turnId?: TurnId | null }): void {
    this.db.transaction(() => {
      const before = this.db.get<FactColumns>('SELECT * FROM facts WHERE id = ?', id);
      if (!before) return;
      const isReworded = change.content !== undefined && change.content !== before.content;
      if (isReworded) addRevision(this.db, id, { ...before, at: by.at, turnId: by.turnId ?? null });
      // What a wording that was changed by hand gives its relation is not known; null keeps what is known.
      const value = isReworded && change.value === undefined ? null : (change.value ?? before.value);
      this.#write(before, { ...change, value }, by.at);
    });
  }

  #write(before: FactColumns, change: FactChange, at: number): void {
    const id = before.id as FactId;
    this.db.run(
      `UPDATE facts SET content = @content, kind = @kind, subjects = @subjects, importance = @importance, pinned = @pinned,
         value = @value, retired_at = iif(expires_at IS @expiresAt, retired_at, NULL), expires_at = @expiresAt,
         updated_at = @at WHERE id = @id`,
      {
        id,
        at,
        content: change.content ?? before.content,
        kind: change.kind ?? before.kind,
        subjects: change.subjects ? JSON.stringify(change.subjects) : before.subjects,
        importance: change.importance ?? before.importance,
        pinned: (change.pinned ?? before.pinned === 1) ? 1 : 0,
        value: change.value === undefined ? before.value : change.value,
        expiresAt: change.expiresAt === undefined ? before.expires_at : change.expiresAt,
      },
    );
    this.writeTerms(id);
  }

  /** Makes a pending fact current, as the relation now is that it gives its value. */
  accept(id: FactId, states: NewFact['states'], at: number): void {
    this.db.run(
      `UPDATE facts SET state = 'current', confidence = 1, key = @entity || '.' || @relation, entity = @entity, relation = @relation,
         value = @value, updated_at = @at WHERE id = @id AND state = 'pending'`,
      {
        id,
        at,
        entity: states?.entity ?? null,
        relation: states?.relation ?? null,
        value: states?.value ?? null,
      },
    );
    this.db.afterCommit(this.#onChange);
  }

  /** Erases a pending fact that another fact says. */
  dropPending(id: FactId): void {
    this.#drop(id, 'pending');
  }

  /** Erases a fact that was learnt, because another fact says it. */
  dropLearnt(id: FactId): void {
    this.#drop(id, 'current');
  }

  #drop(id: FactId, state: 'pending' | 'current'): void {
    this.db.transaction(() => {
      this.db.run(
        'DELETE FROM fact_fts WHERE rowid IN (SELECT rowid FROM facts WHERE id = ? AND state = ?)',
        id,
        state,
      );
      this.db.run('DELETE FROM facts WHERE id = ? AND state = ?', id, state);
      this.db.afterCommit(this.#onChange);
    });
  }

  /** Keeps another wording of a fact among its earlier ones. */
  keepWording(id: FactId, content: string, at: number): void {
    this.db.transaction(() => {
      const fact = this.db.get<FactColumns>('SELECT * FROM facts WHERE id = ?', id);
      if (!fact || fact.content === content) return;
      addRevision(this.db, id, { ...fact, content, at, turnId: null });
      this.db.afterCommit(this.#onChange);
    });
  }

  /**
   * Takes back what a turn taught of a fact, if the fact still says so: forgets it if the turn added it, else it is what it was before
   * the turn, without another revision. What was superseded by it, or because it told that two people are one, is true again.
   * @returns false if the fact has changed since, and nothing was done
   */
  undoLearnt(id: FactId, turnId: TurnId, at: number): boolean {
    return this.db.transaction(() => {
      const learnt = this.ofTurns([turnId], at).find((row) => row.id === id);
      if (learnt?.state !== 'current') return false;
      const released = this.links.release(id, turnId);
      const rekeyed = learnt.added
        ? this.setForgottenAt([id], at)
        : this.#takeBackWording(id, { at, turnId });
      released.push(...this.links.part(rekeyed));
      this.links.settle(released, { at });
      return true;
    });
  }

  #takeBackWording(id: FactId, { at, turnId }: { at: number; turnId: TurnId }): FactId[] {
    const row = this.db.get<FactColumns>('SELECT * FROM facts WHERE id = ?', id);
    const before = row && takeBackWordings(this.db, id, turnId);
    if (before) this.#write(row, before, at);
    return this.people.removeTaught(id, turnId);
  }

  /** Writes terms and full text of a fact again, from its content and subjects. */
  writeTerms(id: FactId): void {
    const row = this.db.get<{ rowid: number; content: string; subjects: string }>(
      'SELECT rowid, content, subjects FROM facts WHERE id = ?',
      id,
    );
    if (!row) return;
    const subject = termStream(parseTexts(row.subjects).join('\n'));
    const body = termStream(row.content);
    this.db.transaction(() => {
      this.db.run(
        'UPDATE facts SET subject_terms = ?, body_terms = ?, text_hash = ?, term_count = ? WHERE id = ?',
        subject,
        body,
        sha256(row.content),
        countTerms(body),
        id,
      );
      this.db.run('DELETE FROM fact_fts WHERE rowid = ?', row.rowid);
      this.db.run('INSERT INTO fact_fts (rowid, subject, body) VALUES (?, ?, ?)', row.rowid, subject, body);
      this.db.afterCommit(this.#onChange);
    });
  }

  /** Counts one more use of each. */
  countUse(ids: readonly FactId[], at: number): void {
    this.db.run(
      `UPDATE facts SET use_count = use_count + 1, last_used_at = ? WHERE id IN (SELECT value FROM json_each(?))`,
      at,
      JSON.stringify(ids),
    );
  }

  /**
   * Forgets facts. People are known no longer by what only these say.
   * @returns the facts whose key changed
   */
  setForgottenAt(ids: readonly FactId[], at: number): FactId[] {
    return this.db.transaction(() => {
      this.#setForgotten(ids, at);
      return this.people.rekey(ids);
    });
  }

  /** Brings forgotten facts back. Where another fact has taken their place since, the later one of both stays in use. */
  bringBack(ids: readonly FactId[], now: number): void {
    this.db.transaction(() => {
      this.unforget(ids);
      this.reconcile(ids, now);
    });
  }

  /** As `bringBack`, before `reconcile`. */
  unforget(ids: readonly FactId[]): void {
    this.db.transaction(() => {
      this.#setForgotten(ids, null);
      this.tombstones.lift(this.#asForgotten(ids));
    });
  }

  /** To be called when facts came from elsewhere: who people are, and what is current, follows from all facts together. */
  reconcile(ids: readonly FactId[], now: number): void {
    const rekeyed = this.people.rekey(ids);
    this.links.settle([...ids, ...rekeyed], { at: now });
  }

  /**
   * Has facts follow the turns in whose place others are shown, or no longer are: what only these said is out of use meanwhile, and what
   * it had superseded is true again. To be called, in the same transaction, after the tree of a conversation was changed.
   */
  followTurns(now: number): void {
    this.db.transaction(() => {
      const changed = markUnsaid(this.db, now);
      if (changed.length === 0) return;
      const released = this.links.followSaid(changed);
      const rekeyed = this.people.rekey(changed);
      released.push(...this.links.part(rekeyed));
      this.links.settle([...changed, ...released, ...rekeyed], { at: now });
      this.db.afterCommit(this.#onChange);
    });
  }

  /** Notes that a turn said again what a fact says. */
  addSaying(id: FactId, turnId: TurnId): void {
    addSaying(this.db, id, turnId);
  }

  #setForgotten(ids: readonly FactId[], at: number | null): void {
    this.db.run(
      'UPDATE facts SET forgotten_at = ? WHERE id IN (SELECT value FROM json_each(?))',
      at,
      JSON.stringify(ids),
    );
    this.db.afterCommit(this.#onChange);
  }

  /** Takes facts out of use, and keeps what they say from being learnt or imported again. */
  forget(ids: readonly FactId[], at: number): void {
    this.db.transaction(() => {
      this.setForgottenAt(ids, at);
      this.tombstones.add(this.#asForgotten(ids), at);
    });
  }

  /** Everything that facts say and said. */
  #asForgotten(ids: readonly FactId[]): Forgotten[] {
    const list = JSON.stringify(ids);
    const contents = this.db.all<{ content: string }>(
      `SELECT content FROM facts WHERE id IN (SELECT value FROM json_each(@list))
       UNION SELECT content FROM fact_revisions WHERE fact_id IN (SELECT value FROM json_each(@list))
       UNION SELECT content FROM fact_conflicts WHERE fact_id IN (SELECT value FROM json_each(@list))`,
      { list },
    );
    const values = this.db.all<{ entity: string; relation: string; value: string }>(
      `SELECT entity, relation, value FROM facts
       WHERE id IN (SELECT value FROM json_each(?)) AND entity IS NOT NULL AND relation IS NOT NULL AND value IS NOT NULL`,
      list,
    );
    return [
      ...contents.map(({ content }): Forgotten => ({ kind: 'content', content })),
      ...values.map((value): Forgotten => ({ kind: 'value', ...value })),
    ];
  }

  /**
   * Has the vectors of facts that have expired since the last call removed: a trigger puts them in the outbox.
   * @returns how many facts that were
   */
  expireDue(now: number): number {
    const { changes } = this.db.run(
      'UPDATE facts SET retired_at = @now WHERE expires_at <= @now AND retired_at IS NULL',
      { now },
    );
    if (changes > 0) this.db.afterCommit(this.#onChange);
    return changes;
  }

  /**
   * Erases facts that were forgotten before `before`, full text included, `most` at once; those that were forgotten first.
   * @returns how many
   */
  purgeForgotten(before: number, most = Number.MAX_SAFE_INTEGER): number {
    return this.db.transaction(() => {
      const due =
        'SELECT rowid FROM facts WHERE forgotten_at < @before ORDER BY forgotten_at, rowid LIMIT @most';
      this.db.run(`DELETE FROM fact_fts WHERE rowid IN (${due})`, { before, most });
      const { changes } = this.db.run(`DELETE FROM facts WHERE rowid IN (${due})`, { before, most });
      if (changes > 0) this.db.afterCommit(this.#onChange);
      return changes;
    });
  }
}
