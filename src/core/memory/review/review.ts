import { z } from 'zod';
import type { Fact } from '../../../shared/contract/facts.ts';
import { ReviewGroup, type ReviewItem, type ReviewKey } from '../../../shared/contract/review.ts';
import type { FactId } from '../../../shared/ids.ts';
import { parseJson } from '../../../shared/json.ts';
import type { Db } from '../../storage/database.ts';
import { FactReviews, isSettled } from '../../storage/factReviews.ts';
import type { FactStore } from '../../storage/facts.ts';
import type { Clock } from '../../support/clock.ts';
import type { Merging } from '../facts/merge.ts';
import type { ReviewSource } from './reviewSource.ts';

export interface ReviewPorts {
  db: Db;
  facts: FactStore;
  merging: Merging;
  clock: Clock;
  /** Each group, in the order in which they are shown. */
  sources: readonly ReviewSource[];
}

export interface ReviewPage {
  counts: { group: ReviewGroup; count: number }[];
  items: ReviewItem[];
  next: string | null;
}

/** An item as it is found. */
interface Found {
  id: FactId;
  other: FactId | '';
  at: number;
}

/** Where a page ended. */
const Cursor = z.tuple([ReviewGroup, z.number(), z.string(), z.string()]);
type Cursor = z.infer<typeof Cursor>;

/** Pairs of wordings of which it is kept whether they are to be reviewed. */
const PAIRS_KEPT = 50_000;
const LATER = Number.MAX_SAFE_INTEGER;

/** What there is to review of all facts. */
export class Review {
  readonly #ports: ReviewPorts;
  readonly #reviews: FactReviews;
  readonly #held = new Map<string, boolean>();

  constructor(ports: ReviewPorts) {
    this.#ports = ports;
    this.#reviews = new FactReviews(ports.db);
  }

  /** How many items each group has, and some of them: those of one group, or of all in order. A cursor that is none begins anew. */
  list({
    group,
    limit,
    cursor,
  }: {
    group?: ReviewGroup | undefined;
    limit: number;
    cursor?: string | undefined;
  }): ReviewPage {
    const now = this.#ports.clock.now();
    const after = cursor === undefined ? undefined : Cursor.safeParse(parseJson(cursor)).data;
    const wanted = this.#ports.sources.filter((source) => group === undefined || source.group === group);
    const first = Math.max(
      0,
      wanted.findIndex((source) => source.group === after?.[0]),
    );
    const items: ReviewItem[] = [];
    for (const source of wanted.slice(first)) {
      if (items.length >= limit) break;
      const page = {
        now,
        limit: limit - items.length,
        after: source.group === after?.[0] ? after : undefined,
      };
      items.push(...this.#page(source, page));
    }
    const last = items.at(-1);
    return {
      counts: this.#ports.sources.map((source) => ({ group: source.group, count: this.#count(source, now) })),
      items,
      next: last && items.length === limit ? cursorOf(last) : null,
    };
  }

  /** Leaves facts as they are. @returns how many items are settled that were not */
  settle(items: readonly ReviewKey[]): number {
    return this.#reviews.settle(items.map(toSettled), this.#ports.clock.now());
  }

  /** @returns how many items are to be reviewed again */
  unsettle(items: readonly ReviewKey[]): number {
    return this.#reviews.unsettle(items.map(toSettled));
  }

  #count(source: ReviewSource, now: number): number {
    if (source.holds) return this.#pairs(source, now).length;
    return (
      this.#ports.db.get<{ n: number }>(
        `SELECT count(*) AS n FROM (${source.items}) i WHERE NOT ${isSettled('i')}`,
        { now, group: source.group, ...source.params?.() },
      )?.n ?? 0
    );
  }

  #page(
    source: ReviewSource,
    { now, limit, after }: { now: number; limit: number; after: Cursor | undefined },
  ): ReviewItem[] {
    const [, at, id, other] = after ?? [source.group, LATER, '', ''];
    if (source.holds) {
      const isAfter = (one: Found) =>
        one.at < at || (one.at === at && (one.id > id || (one.id === id && one.other > other)));
      return this.#toItems(source, this.#pairs(source, now).filter(isAfter).slice(0, limit), now);
    }
    const found = this.#ports.db.all<Found>(
      `SELECT i.id, i.other, i.at FROM (${source.items}) i
       WHERE (i.at < @at OR (i.at = @at AND (i.id, i.other) > (@id, @other))) AND NOT ${isSettled('i')}
       ORDER BY i.at DESC, i.id, i.other LIMIT @limit`,
      { now, at, id, other, limit, group: source.group, ...source.params?.() },
    );
    return this.#toItems(source, found, now);
  }

  /** Every pair of a group that holds. What two wordings say of each other is found once. */
  #pairs(source: ReviewSource, now: number): Found[] {
    const found = this.#ports.db.all<Found & { hashes: string }>(
      `SELECT i.id, i.other, i.at, a.text_hash || b.text_hash AS hashes
       FROM (${source.items}) i JOIN facts a ON a.id = i.id JOIN facts b ON b.id = i.other
       WHERE NOT ${isSettled('i')} ORDER BY i.at DESC, i.id, i.other`,
      { now, group: source.group, ...source.params?.() },
    );
    return found.filter(({ id, other, hashes }) => {
      const known = this.#held.get(hashes);
      if (known !== undefined) return known;
      if (this.#held.size >= PAIRS_KEPT) this.#held.clear();
      const [one, two] = [id, other].map((fact) => this.#wordingOf(fact));
      const holds = source.holds?.(one ?? '', two ?? '') ?? true;
      this.#held.set(hashes, holds);
      return holds;
    });
  }

  #wordingOf(id: string): string {
    return (
      this.#ports.db.get<{ content: string }>('SELECT content FROM facts WHERE id = ?', id)?.content ?? ''
    );
  }

  #toItems(source: ReviewSource, found: readonly Found[], now: number): ReviewItem[] {
    const ids = found.flatMap(({ id, other }) => (other === '' ? [id] : [id, other]));
    const facts = new Map(this.#ports.facts.getAll(ids, now).map((fact) => [fact.id, fact]));
    return found.flatMap((one) => {
      const some = [one.id, one.other].flatMap((id) => (id === '' ? [] : (facts.get(id) ?? [])));
      some.sort((a, b) => a.createdAt - b.createdAt);
      return some.length === 0 ? [] : [this.#toItem(source, { ...one, facts: some }, now)];
    });
  }

  #toItem(source: ReviewSource, { facts, ...found }: Found & { facts: Fact[] }, now: number): ReviewItem {
    const fuller = () => source.proposed?.(facts) ?? this.#ports.merging.fullest(facts).content;
    return {
      id: JSON.stringify([source.group, found.id, found.other]),
      group: source.group,
      facts,
      reason: source.reason(facts, now),
      proposed: facts.length === 2 ? fuller() : null,
      at: found.at,
    };
  }
}

/** The id of an item names its group and facts. */
function cursorOf({ id, at }: ReviewItem): string {
  const [group, one, other] = JSON.parse(id) as [string, string, string];
  return JSON.stringify([group, at, one, other]);
}

const toSettled = ({ group, ids }: ReviewKey) => ({ kind: group, ids });
