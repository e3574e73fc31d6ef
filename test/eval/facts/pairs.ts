import { writeFileSync } from 'node:fs';
import { createApp } from '../../../src/core/app.ts';
import { loadWordVectors } from '../../../src/core/embedding/wordVectors.ts';
import type { Comparable, KnownFact } from '../../../src/core/memory/facts/comparable.ts';
import { Consolidation, type Outcome } from '../../../src/core/memory/facts/consolidate.ts';
import { Facts } from '../../../src/core/memory/facts/facts.ts';
import type { PairEvidence, Relation } from '../../../src/core/memory/facts/pairEvidence.ts';
import {
  likeliest,
  PAIR_WEIGHTS,
  type PairWeights,
  RELATIONS,
  type WeighPair,
  weighPairBy,
} from '../../../src/core/memory/facts/pairWeights.ts';
import { Words } from '../../../src/core/memory/facts/words.ts';
import { loadLexicon } from '../../../src/core/search/lexical/lexicon.ts';
import { Particularity } from '../../../src/core/support/text/particulars.ts';
import { foldedWords } from '../../../src/core/support/text/tokenise.ts';
import type { FactId } from '../../../src/shared/ids.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary.ts';
import { statementsOf } from './consolidation.ts';
import { type Dialogue, type Expected, readDialogues } from './dialogues.ts';
import { FOLDS, foldOf } from './folds.ts';

const TARGET = new URL(`../../../resources/${PAIR_WEIGHTS}`, import.meta.url);

/** A statement and a fact that was known before: what they show, and what the one is to the other. */
interface PairExample {
  /** Its part in cross-validation. */
  fold: number;
  shown: PairEvidence;
  relation: Relation;
  /** What it counts beside others in training. */
  weight: number;
}

/** Of ridge regularisation, as a share of the loss of a pair: a C of about 0.3 in scikit-learn's terms, where of 0.03 to 1 those from 0.3 on did best. */
const RIDGE = 0.0015;
const STEPS = 400;
/** Of gradient descent with momentum. */
const STEP = 0.5;
const MOMENTUM = 0.9;
/** What fewer pairs show tells of them more than of others. */
const LEAST_SHOWN = 5;
/** Dialogues whose first statements stand in one record, as the facts of one life do that have nothing to do with each other. */
const LIVES = 60;
const RECORDS = 70;
/** What an unrelated pair counts: there are four of them for each pair of one dialogue. */
const UNRELATED = 0.25;
/**
 * What the rules say is likelier by, as a power of e, than the weights alone would have it: they were made for statements that are meant
 * to be remembered, of which there are few among these dialogues.
 */
const TRUST = 1;
/**
 * What a relation must be likelier by than none, as a power of e. Of these the least is taken at which no more unrelated pairs are related
 * than by the rules. It is never none at all: a fact that is wrongly replaced is missed by answers, one that is wrongly kept stands beside the newer one.
 */
const CAUTIONS = Array.from({ length: 28 }, (_, step) => (step + 3) / 10);

/** Trains the weights of pairs on the dialogues to tune on, prints what they are worth in cross-validation, and writes them among the resources. */
export async function fitPairs(): Promise<void> {
  const dialogues = readDialogues('tune');
  const examples = await readPairs(dialogues, { foldOfDialogue: foldOf, weight: 1 });
  const unrelated = await readPairs(recordsOf(dialogues), {
    foldOfDialogue: (id) => Number(id) % FOLDS,
    weight: UNRELATED,
  });
  const all = [...examples, ...unrelated];
  const weighs = Array.from({ length: FOLDS }, (_, held) =>
    weighPairBy(trainPairs(all.filter(({ fold }) => fold !== held))),
  );
  const odds = new Map(all.map((one) => [one, (weighs[one.fold] as WeighPair)(one.shown)]));
  const byWeights = (caution: number) => (one: PairExample) =>
    likeliest(lessLikely(odds.get(one) ?? [], caution));
  const related = (told: (one: PairExample) => Relation) =>
    unrelated.filter((one) => told(one) !== null).length;
  const most = related(byRules);
  const caution = CAUTIONS.find((one) => related(byWeights(one)) <= most) ?? Math.max(...CAUTIONS);
  console.log(JSON.stringify({ unrelated: unrelated.length, related: most, caution }));
  for (const relation of ['all', ...RELATIONS] as const) {
    const some = examples.filter((one) => relation === 'all' || one.relation === relation);
    const share = (told: (one: PairExample) => Relation) =>
      Number((some.filter((one) => told(one) === one.relation).length / some.length).toFixed(3));
    console.log(
      JSON.stringify({
        pairs: relation ?? 'none',
        count: some.length,
        rules: share(byRules),
        weights: share(byWeights(caution)),
      }),
    );
  }
  const { '': each = [], ...weights } = trainPairs(all);
  const [none = 0, ...others] = each;
  const written = Object.fromEntries(
    Object.entries({ '': [none + caution, ...others], ...weights }).map(([name, some]) => [
      name,
      some.map((one) => Number(one.toFixed(3))),
    ]),
  );
  writeFileSync(TARGET, `${JSON.stringify(written, null, 1)}\n`);
}

/** Dialogues in which somebody tells the first thing that each of many others told; each of them is new. */
function recordsOf(dialogues: readonly Dialogue[]): Dialogue[] {
  const all = dialogues.flatMap(({ turns }) => turns.flatMap(({ learn }) => learn).slice(0, 1));
  // What two dialogues begin with is the same in both.
  const firsts = [...new Map(all.map((one) => [foldedWords(one.content), one])).values()];
  return Array.from({ length: RECORDS }, (_, record) => ({
    id: `${record}`,
    lang: 'mixed',
    about: 'near-miss',
    turns: firsts
      .filter((_one, at) => at % RECORDS === record)
      .slice(0, LIVES)
      .map((one, at) => ({
        at: '2026-01-01T00:00',
        user: '',
        learn: [{ ...one, as: `${at}`, becomes: 'new' as const }],
      })),
    current: [],
  }));
}

/** The pairs that the record would compare, if it had decided rightly before. */
async function readPairs(
  dialogues: readonly Dialogue[],
  { foldOfDialogue, weight }: { foldOfDialogue: (id: string) => number; weight: number },
): Promise<PairExample[]> {
  const dataDir = temporaryFolder();
  let now = 0;
  const clock = { now: () => now };
  const app = createApp({ dataDir, version: 'eval' }, { clock });
  const { db, factStore } = app.services;
  const words = new Words(loadLexicon(), loadWordVectors);
  const told = new ToldOutcomes(new Particularity(words), words);
  const facts = new Facts({
    store: factStore,
    clock,
    words,
    consolidation: told,
    onLearnt: () => undefined,
  });
  const examples: PairExample[] = [];
  try {
    for (const dialogue of dialogues) {
      if (dialogue.turns.flatMap(({ learn }) => learn).length < 2) continue;
      const fold = foldOfDialogue(dialogue.id);
      const ids = new Map<string, FactId>();
      for (const { at, expected, learn } of statementsOf(dialogue, { db, facts })) {
        now = at;
        told.expect(expected, ids);
        const { outcome, added } = learn();
        const id = added ?? ('id' in outcome ? outcome.id : undefined);
        if (id !== undefined) ids.set(expected.as, id);
        examples.push(...told.take().map((one) => ({ ...one, fold, weight })));
      }
    }
  } finally {
    await app.close();
    removeFolder(dataDir);
  }
  return examples;
}

/** Decides as a dialogue says, and keeps what each pair shows. */
class ToldOutcomes extends Consolidation {
  readonly #shown: PairEvidence[];
  #target: { id: FactId | undefined; relation: Relation } = { id: undefined, relation: null };
  #taken: Pick<PairExample, 'shown' | 'relation'>[] = [];

  constructor(particularity: Particularity, words: Words) {
    const shown: PairEvidence[] = [];
    super(particularity, words, (one) => {
      shown.push(one);
      return RELATIONS.map(() => 0);
    });
    this.#shown = shown;
  }

  expect({ becomes }: Expected, ids: ReadonlyMap<string, FactId>): void {
    const [[name, label] = ['', '']] = typeof becomes === 'object' ? Object.entries(becomes) : [];
    this.#target = { id: ids.get(label), relation: RELATION_OF[name] ?? null };
  }

  take(): Pick<PairExample, 'shown' | 'relation'>[] {
    const taken = this.#taken;
    this.#taken = [];
    return taken;
  }

  override decide(statement: Comparable, known: readonly KnownFact[]): Outcome {
    const { id, relation } = this.#target;
    for (const fact of known) {
      this.#shown.length = 0;
      super.decide(statement, [fact]);
      const [shown] = this.#shown;
      if (shown) this.#taken.push({ shown, relation: fact.id === id ? relation : null });
    }
    return id !== undefined && relation !== null && known.some((fact) => fact.id === id)
      ? { is: relation, id }
      : { is: 'new' };
  }
}

const RELATION_OF: Readonly<Record<string, Relation>> = {
  supersedes: 'successor',
  refines: 'refinement',
  same: 'same',
  contradicts: 'contradiction',
};

/** Multinomial logistic regression, with the same result for the same pairs. */
function trainPairs(examples: readonly PairExample[]): PairWeights {
  const counts = Map.groupBy(
    examples.flatMap(({ shown }) => [...shown.keys()]),
    (name) => name,
  );
  const names = [
    '',
    ...[...counts].filter(([, some]) => some.length >= LEAST_SHOWN).map(([name]) => name),
  ].sort();
  const index = new Map(names.map((name, row) => [name, row]));
  const rows = examples.map(({ shown, relation, weight }) => ({
    weight,
    inputs: [
      [0, 1] as const,
      ...[...shown].flatMap(([name, value]) => {
        const row = index.get(name);
        return row === undefined ? [] : [[row, value] as const];
      }),
    ],
    relation: RELATIONS.indexOf(relation),
  }));
  const width = RELATIONS.length;
  const all = rows.reduce((sum, { weight }) => sum + weight, 0);
  const weights = new Float64Array(names.length * width);
  const speed = new Float64Array(weights.length);
  for (let step = 0; step < STEPS; step += 1) {
    const slopes = weights.map((weight, at) => (at < width ? 0 : RIDGE * weight));
    for (const { inputs, relation, weight } of rows) {
      const odds = RELATIONS.map((_, at) =>
        Math.exp(
          inputs.reduce((sum, [row, value]) => sum + value * (weights[row * width + at] as number), 0),
        ),
      );
      const whole = odds.reduce((sum, one) => sum + one, 0);
      for (let at = 0; at < width; at += 1) {
        const error = (weight * ((odds[at] as number) / whole - Number(at === relation))) / all;
        for (const [row, value] of inputs)
          slopes[row * width + at] = (slopes[row * width + at] as number) + error * value;
      }
    }
    for (let at = 0; at < weights.length; at += 1) {
      speed[at] = MOMENTUM * (speed[at] as number) - STEP * (slopes[at] as number);
      weights[at] = (weights[at] as number) + (speed[at] as number);
    }
  }
  return trusting(
    Object.fromEntries(
      names.map((name, row) => [name, [...weights.subarray(row * width, (row + 1) * width)]]),
    ),
  );
}

function trusting(weights: PairWeights): PairWeights {
  return Object.fromEntries(
    Object.entries(weights).map(([name, some]) => [
      name,
      some.map((one, at) => (name === nameOfRule(RELATIONS[at] ?? null) ? one + TRUST : one)),
    ]),
  );
}

const nameOfRule = (relation: Relation): string => `rules ${relation ?? 'none'}`;
const byRules = ({ shown }: PairExample): Relation =>
  RELATIONS.find((relation) => shown.has(nameOfRule(relation))) ?? null;

/** Odds at which any relation is so much less likely than none. */
const lessLikely = (odds: readonly number[], caution: number): number[] =>
  odds.map((one, at) => (at === 0 ? one * Math.exp(caution) : one));
