import type {
  ForgetGroup,
  ForgetPlan,
  ForgetRequest,
  ForgetSubject,
  StillFound,
  Ticked,
  Untouched,
} from '../../../shared/contract/forget.ts';
import type { Candidate, SearchResult } from '../../../shared/contract/retrieval.ts';
import { AppError } from '../../../shared/errors.ts';
import type { ConversationId, FactId, NoteId, TurnId } from '../../../shared/ids.ts';
import type { SearchRequest } from '../../search/searchClient.ts';
import type { Db } from '../../storage/database.ts';
import type { Clock } from '../../support/clock.ts';
import { obsidianUrl } from '../../support/obsidianUrl.ts';
import { evidenceOf } from './evidence.ts';
import type { ForgetActs } from './forgetActs.ts';
import type { Forgettable, Planned, Wanted } from './forgettable.ts';
import { aspectOf, holdsName, isNamed, nameOf, namesOf, peopleNamed } from './naming.ts';
import { readWish } from './readWish.ts';
import { recentOf } from './recent.ts';

export interface ForgetPorts {
  db: Db;
  clock: Clock;
  /** In the order in which they are shown. */
  kinds: readonly Forgettable[];
  acts: ForgetActs;
  search(request: SearchRequest): Promise<SearchResult[]>;
  /** What a turn about this would be given. */
  retrieve(text: string): Promise<readonly Candidate[]>;
  /** Copies of the database in the data folder that hold one of these names, or any if there are none. */
  backups(names: readonly string[]): Promise<Untouched['backups']>;
}

/** From here on a result is about what was asked: the scale of relevance is fitted to that (`search/fusion/calibration.ts`). */
const ABOUT_THIS = 0.5;
/** What of a search's results can be forgotten: notes cannot. */
const SEARCHED = ['fact', 'turn', 'summary'] as const;
const MOST_RELATED = 50;
const MOST_NOTES = 200;

/** Forgetting: first a plan, of which the user ticks what is to go, then the act, which can be undone until it is erased. */
export class Forget {
  readonly #ports: ForgetPorts;
  /** Names the last act that brought something back. */
  #lastBack = 0;

  constructor(ports: ForgetPorts) {
    this.#ports = ports;
  }

  /** What would go. Ticked is only what names the topic, or belongs to the conversation or the period. */
  async plan(subject: ForgetSubject): Promise<ForgetPlan> {
    const topic = 'topic' in subject ? subject.topic : 'person' in subject ? subject.person : null;
    const names = topic === null ? [] : namesOf(this.#ports.db, topic);
    const related = new Map<string, number>();
    if (topic !== null) {
      const found = await this.#ports.search({
        text: topic,
        mode: 'hybrid',
        kinds: SEARCHED,
        limit: MOST_RELATED,
      });
      for (const { id, score } of found) if (score > ABOUT_THIS) related.set(id, score);
    }
    const within = topic === null ? (subject as Wanted['within']) : null;
    const people = topic === null ? [] : peopleNamed(this.#ports.db, topic);
    const past = 'topic' in subject && subject.past === true;
    const aspect = topic === null ? null : aspectOf(this.#ports.db, topic);
    const wanted: Wanted = { names, people, aspect, within, related, past, turns: [], listed: [] };
    const turns = this.#kind('turns').plan(wanted);
    const ticked = turns.filter(isTicked).map(({ id }) => id as TurnId);
    const listed = turns.map(({ id }) => id as TurnId);
    const groups = this.#ports.kinds.map((kind) => ({
      group: kind.group,
      items: kind.group === 'turns' ? turns : kind.plan({ ...wanted, turns: ticked, listed }),
    }));
    const facts = groups.find(({ group }) => group === 'facts')?.items.filter(isTicked) ?? [];
    this.#addTeaching(turns, facts);
    const evidence = evidenceOf(
      this.#ports.db,
      groups.flatMap(({ items }) => items),
    );
    return {
      groups: groups.map(({ group, items }) => ({
        group,
        items: items.map((item) => ({ ...evidence(item, names), ticked: isTicked(item) })),
      })),
      untouched: await this.#untouched(names),
    };
  }

  /** What a message asks to forget; see the contract. */
  read(message: string, conversationId: ConversationId | null): ForgetRequest {
    const { db, clock } = this.#ports;
    const wish = readWish(message, clock.now());
    switch (wish.asks) {
      case 'nothing':
        return wish;
      case 'period':
        return { asks: 'plan', subject: { from: wish.from, to: wish.to } };
      case 'topic': {
        const person = nameOf(db, wish.topic);
        if (person !== null) return { asks: 'plan', subject: { person } };
        return { asks: 'plan', subject: { topic: wish.topic, ...(wish.past ? { past: true } : {}) } };
      }
      case 'conversation':
        if (conversationId !== null) return { asks: 'plan', subject: { conversationId } };
        return { asks: 'which', recent: recentOf(db, null) };
      case 'which':
        return { asks: 'which', recent: recentOf(db, conversationId) };
    }
  }

  /**
   * Takes what is ticked out of use: all of it or nothing, see `ForgetActs`.
   * @param now erases it at once
   * @returns when, which names the act
   */
  async apply(ticked: Ticked, now = false): Promise<{ forgotten: number; at: number }> {
    const at = Math.max(this.#ports.clock.now(), (this.#latest() ?? 0) + 1);
    return {
      forgotten: await this.#ports.acts.do({ name: now ? 'erase' : 'forget', at, items: ticked }),
      at,
    };
  }

  /** Brings back what was forgotten at a moment, or last: all of it or nothing. @returns how many items */
  async undo(at = this.#latest()): Promise<number> {
    if (at === null) return 0;
    const items: Record<ForgetGroup, string[]> = { facts: [], turns: [], summaries: [], titles: [] };
    for (const kind of this.#ports.kinds) items[kind.group] = kind.restorable(at);
    return this.#ports.acts.do({ name: 'restore', at, items });
  }

  /**
   * Brings back what was deleted or forgotten, whenever that was: all of it or nothing, see `ForgetActs`. What is in use stays as it is.
   * @throws AppError NOT_FOUND if something was erased
   */
  async bringBack({ facts, conversations }: { facts: string[]; conversations: string[] }): Promise<void> {
    const { db, clock, acts } = this.#ports;
    for (const [what, table, ids] of [
      ['fact', 'facts', facts],
      ['conversation', 'conversations', conversations],
    ] as const) {
      const found = db.all(
        `SELECT 1 FROM ${table} WHERE id IN (SELECT value FROM json_each(?))`,
        JSON.stringify(ids),
      );
      if (found.length < new Set(ids).size) throw new AppError('NOT_FOUND', { what });
    }
    this.#lastBack = Math.max(clock.now(), this.#lastBack + 1);
    const items = { facts, turns: conversations, summaries: [], titles: [] };
    await acts.do({ name: 'bring-back', at: this.#lastBack, items });
  }

  /** What searches by words and by meaning and one retrieval still find that names the topic, notes apart. */
  async check(topic: string): Promise<{ found: number; items: StillFound[]; untouched: Untouched }> {
    const { db, search, retrieve } = this.#ports;
    const names = namesOf(db, topic);
    const request = { text: topic, kinds: SEARCHED, limit: MOST_RELATED };
    const found = [
      ...(await search({ ...request, mode: 'text' })),
      ...(await search({ ...request, mode: 'semantic' })),
      ...(await retrieve(topic)).filter(({ kind, verdict }) => kind !== 'note' && verdict === 'injected'),
    ];
    const named = found.filter(({ excerpt }) => isNamed(excerpt, names));
    const items = [...new Map(named.map((one) => [one.id, one])).values()].map((one) => ({
      id: one.id,
      kind: one.kind,
      excerpt: one.excerpt,
      marks: one.marks,
      conversationId: one.conversationId ?? null,
    }));
    return {
      found: items.length,
      items,
      untouched: await this.#untouched(names),
    };
  }

  /** Turns that taught facts of the plan say so, even if a search found them. */
  #addTeaching(turns: Planned[], facts: readonly Planned[]): void {
    const known = turns.filter(({ reason }) => reason !== 'related');
    const ids = facts.map(({ id }) => id as FactId);
    const teaching = this.#kind('turns').teaching?.(ids, known) ?? [];
    const taught = new Set(teaching.map(({ id }) => id));
    const others = turns.filter(({ id }) => !taught.has(id));
    turns.splice(0, turns.length, ...others, ...teaching);
  }

  #kind(group: Forgettable['group']): Forgettable {
    const kind = this.#ports.kinds.find((one) => one.group === group);
    if (!kind) throw new Error(`nothing forgets ${group}`);
    return kind;
  }

  #latest(): number | null {
    const all = this.#ports.kinds.flatMap((kind) => kind.latest() ?? []);
    return all.length === 0 ? null : Math.max(...all);
  }

  async #untouched(names: readonly string[]): Promise<Untouched> {
    const { db, backups } = this.#ports;
    return {
      notes: db
        .all<{ id: NoteId; vault: string; obsidianId: string | null; path: string }>(
          `SELECT n.id, v.name AS vault, v.obsidian_id AS obsidianId, n.path FROM notes n JOIN vaults v ON v.id = n.vault_id
         WHERE v.removed_at IS NULL AND (${holdsName("n.title_terms || ' ' || n.alias_terms || ' ' || n.tag_terms")}
           OR n.id IN (SELECT c.note_id FROM chunks c WHERE ${holdsName("c.heading_terms || ' ' || c.body_terms")}))
         ORDER BY v.name, n.path LIMIT @limit`,
          { names: JSON.stringify(names), limit: MOST_NOTES },
        )
        .map(({ id, vault, obsidianId, path }) => ({
          id,
          vault,
          path,
          obsidianUrl: obsidianUrl({ name: vault, obsidianId }, path),
        })),
      backups: await backups(names),
    };
  }
}

const isTicked = ({ reason }: Planned): boolean => reason === 'names' || reason === 'belongs';
