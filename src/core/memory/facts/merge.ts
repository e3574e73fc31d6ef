import type { Fact, FactKind } from '../../../shared/contract/facts.ts';
import { AppError } from '../../../shared/errors.ts';
import type { FactId } from '../../../shared/ids.ts';
import { parseTexts } from '../../../shared/json.ts';
import type { Db } from '../../storage/database.ts';
import { FactMerges, type Kept, pick } from '../../storage/factMerges.ts';
import type { FactColumns } from '../../storage/factRows.ts';
import type { FactStore } from '../../storage/facts.ts';
import type { Clock } from '../../support/clock.ts';
import type { Particularity } from '../../support/text/particulars.ts';
import { functionWords } from '../../support/text/stopWords.ts';
import { foldedWords, tokenise } from '../../support/text/tokenise.ts';

/** Facts that are to become one. */
export interface WantedMerge {
  ids: readonly FactId[];
  /** The one to keep, of `ids`. */
  into?: FactId | undefined;
  /** What it is to say. */
  content?: string | undefined;
}

export interface MergePorts {
  db: Db;
  store: FactStore;
  clock: Clock;
  particularity: Particularity;
}

/** Makes one fact of several that say the same. */
export class Merging {
  readonly #ports: MergePorts;
  readonly #merges: FactMerges;

  constructor(ports: MergePorts) {
    this.#ports = ports;
    this.#merges = new FactMerges(ports.db, ports.store);
  }

  /**
   * What merging facts would make of them: the one that is kept, and what it would say.
   * @throws AppError as `merge`
   */
  propose(ids: readonly FactId[]): { into: FactId; content: string } {
    const facts = this.#inUse(ids);
    return { into: keptOf(facts).id as FactId, content: this.fullest(facts).content };
  }

  /**
   * Facts become one, all or nothing. The others are superseded by the one that is kept: by default one that has a key, else the oldest.
   * It says what the fullest wording says, unless another is given; what it said before is a revision.
   * @throws AppError NOT_FOUND, FACTS_NOT_CURRENT
   */
  merge({ ids, into, content }: WantedMerge): Fact {
    const { store, clock } = this.#ports;
    return store.inTransaction(() => {
      const facts = this.#inUse(ids);
      const kept = facts.find(({ id }) => id === into) ?? keptOf(facts);
      const says = content ?? this.fullest(facts).content;
      const id = kept.id as FactId;
      const merged = facts.flatMap((one) => (one === kept ? [] : [one.id as FactId]));
      this.#merges.merge({ into: id, merged, row: united(kept, facts, says), at: clock.now() });
      return this.#existing(id);
    });
  }

  /**
   * Undoes the last merge into a fact: each of the facts is again what it was.
   * @returns them, the one that was kept first
   * @throws AppError NOT_FOUND, FACT_CHANGED if nothing was merged into it, or it has changed since
   */
  unmerge(id: FactId): Fact[] {
    const { store, clock } = this.#ports;
    return store.inTransaction(() => {
      this.#existing(id);
      const restored = this.#merges.unmerge(id, clock.now());
      if (!restored) throw new AppError('FACT_CHANGED');
      const facts = new Map(store.getAll(restored, clock.now()).map((fact) => [fact.id, fact]));
      return restored.flatMap((one) => facts.get(one) ?? []);
    });
  }

  /** When something was last merged into a fact that can still be undone; null if there is no such merge. */
  lastMerge(id: FactId): number | null {
    return this.#merges.lastMerge(id, this.#ports.clock.now());
  }

  /** Of several wordings the one whose numbers, dates and names the fewest others exceed; of equals the longest, then the newest. */
  fullest<Worded extends { content: string }>(facts: readonly Worded[]): Worded {
    const { particularity } = this.#ports;
    const lacks = ({ content }: Worded) =>
      facts.filter((other) => particularity.adds(other.content, content)).length;
    const ranked = facts
      .map((fact, place) => ({ fact, place, lacks: lacks(fact), words: tellingWords(fact.content) }))
      .sort((one, other) => one.lacks - other.lacks || other.words - one.words || other.place - one.place);
    const [first] = ranked;
    if (!first) throw new Error('no wording of no facts');
    return first.fact;
  }

  #inUse(ids: readonly FactId[]): FactColumns[] {
    const { store, clock } = this.#ports;
    const wanted = new Set(ids);
    const now = clock.now();
    if (store.getAll([...wanted], now).length < wanted.size)
      throw new AppError('NOT_FOUND', { what: 'fact' });
    const facts = this.#merges.inUse([...wanted], now);
    if (facts.length < wanted.size || wanted.size < 2) throw new AppError('FACTS_NOT_CURRENT');
    return facts;
  }

  #existing(id: FactId): Fact {
    const fact = this.#ports.store.get(id, this.#ports.clock.now());
    if (!fact) throw new AppError('NOT_FOUND', { what: 'fact' });
    return fact;
  }
}

/** The first one that has a key, else the first. */
function keptOf(facts: readonly FactColumns[]): FactColumns {
  const kept = facts.find(({ key }) => key !== null) ?? facts[0];
  if (!kept) throw new Error('nothing to keep of no facts');
  return kept;
}

/** What the fact that is kept becomes. */
function united(kept: FactColumns, facts: readonly FactColumns[], content: string): Kept {
  const source = facts.find((fact) => fact.content === content);
  const keyed = kept.key === null ? facts.find(({ key }) => key !== null) : kept;
  const states = keyed && { entity: keyed.entity, relation: keyed.relation, key: keyed.key };
  return {
    ...pick(kept),
    ...states,
    content,
    value: facts.find(({ key, value }) => key === keyed?.key && saysValue(content, value))?.value ?? null,
    subjects: JSON.stringify(subjectsOf([kept, ...facts])),
    kind: kindOf([kept, ...facts]),
    importance: Math.max(...facts.map(({ importance }) => importance)),
    pinned: Math.max(...facts.map(({ pinned }) => pinned)),
    // The time of a wording is its own; what others say in other words holds as long as one of them does.
    expires_at: source ? source.expires_at : latest(facts.map(({ expires_at }) => expires_at)),
    confidence: Math.max(...facts.map(({ confidence }) => confidence)),
    created_at: Math.min(...facts.map(({ created_at }) => created_at)),
  };
}

function saysValue(content: string, value: string | null): boolean {
  return value !== null && ` ${foldedWords(content)} `.includes(` ${foldedWords(value)} `);
}

/** Each subject once, as written first. */
function subjectsOf(facts: readonly FactColumns[]): string[] {
  const byWords = new Map<string, string>();
  for (const subject of facts.flatMap(({ subjects }) => parseTexts(subjects))) {
    const words = foldedWords(subject);
    if (!byWords.has(words)) byWords.set(words, subject);
  }
  return [...byWords.values()];
}

/** The first kind that says more than that it is a fact. */
const kindOf = (facts: readonly FactColumns[]): FactKind =>
  facts.find(({ kind }) => kind !== 'fact')?.kind ?? 'fact';

/** Null for good. */
const latest = (times: readonly (number | null)[]): number | null =>
  times.includes(null) ? null : Math.max(...times.map(Number));

const tellingWords = (content: string): number =>
  tokenise(content).filter(({ word }) => !functionWords.has(word)).length;
