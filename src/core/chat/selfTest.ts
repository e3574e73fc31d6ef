import type { Retrieval } from '../../shared/contract/retrieval.ts';
import type { ReplayChanges, SelfTest, SelfTestFigures } from '../../shared/contract/traces.ts';
import type { Settings } from '../../shared/settings.ts';
import type { ItemMarkStore, QuestionMark } from '../storage/itemMarks.ts';
import { estimateTokens } from '../support/text/tokens.ts';
import type { OtherSpaces } from './otherSpaces.ts';
import type { PlannerModel, PromptPlanner, RetrievalOptions } from './prompt/promptPlanner.ts';

export interface SelfTestPorts {
  planner: Pick<PromptPlanner, 'preview'>;
  itemMarks: Pick<ItemMarkStore, 'latest'>;
  otherSpaces: OtherSpaces;
}

/** Marks that are looked at: more questions than that tell nothing new, and each is searched twice. */
const MOST_MARKS = 1_000;
/** With fewer questions than this, chance alone moves a share of a half by more than a fifth, in nineteen cases of twenty. */
const ENOUGH_QUESTIONS = 20;
const RECALL_AT = 10;

/** The model reads no prompt: nothing is held back, and nothing is counted but the budget. */
const NO_MODEL: PlannerModel = {
  isLocal: true,
  readsPrompt: false,
  takesTools: false,
  contextTokens: async () => Number.POSITIVE_INFINITY,
  countTokens: estimateTokens,
};

interface MarkedQuestion {
  text: string;
  turnId: QuestionMark['turnId'];
  useful: ReadonlySet<string>;
  wrong: ReadonlySet<string>;
}

/** What one question adds to the figures. */
interface Outcome {
  recall: number | null;
  recallAt10: number | null;
  reciprocalRank: number | null;
  wrongGiven: number;
  wrong: number;
}

/** Measures retrieval on what the user marked. The marks themselves change nothing in it: otherwise they would answer their own question. */
export class SelfTests {
  readonly #ports: SelfTestPorts;

  constructor(ports: SelfTestPorts) {
    this.#ports = ports;
  }

  /** Asks every marked question by itself, with the present settings and with others. Stores nothing, and calls no model. */
  async run({ embedder, ...changes }: ReplayChanges, signal?: AbortSignal): Promise<SelfTest> {
    const marks = this.#ports.itemMarks.latest(MOST_MARKS);
    const questions = questionsOf(marks);
    const before = await this.#ask(questions, {}, { signal });
    const isChanged = [embedder, ...Object.values(changes)].some((value) => value !== undefined);
    const after = isChanged
      ? await this.#ports.otherSpaces(
          embedder,
          (other) => this.#ask(questions, changes, { other, signal }),
          signal,
        )
      : before;
    const gains = before.map(({ recall }, place) => (after[place]?.recall ?? 0) - (recall ?? 0));
    const useful = questions.filter((one) => one.useful.size > 0).length;
    return {
      questions: questions.length,
      useful: marks.filter(({ mark }) => mark === 'useful').length,
      wrong: marks.filter(({ mark }) => mark === 'wrong').length,
      tooFew: useful < ENOUGH_QUESTIONS,
      before: figuresOf(before),
      after: isChanged ? figuresOf(after) : null,
      better: gains.filter((gain) => gain > 0).length,
      worse: gains.filter((gain) => gain < 0).length,
    };
  }

  async #ask(
    questions: readonly MarkedQuestion[],
    { maxResults, minScore, scope, ...settings }: Omit<ReplayChanges, 'embedder'>,
    { other, signal }: Pick<RetrievalOptions, 'other' | 'signal'>,
  ): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (const question of questions) {
      signal?.throwIfAborted();
      const { retrieval } = await this.#ports.planner.preview(
        {
          turnId: question.turnId,
          conversationId: null,
          number: 1,
          version: 1,
          question: question.text,
          channel: '',
          notRetrieved: null,
          sources: ['notes', 'memory'],
          withTools: false,
          withMemories: false,
        },
        NO_MODEL,
        {
          minScore,
          scope,
          settings: given(settings),
          limit: maxResults,
          noDeadline: true,
          withoutMarks: true,
          other,
          signal,
        },
      );
      outcomes.push(outcomeOf(question, retrieval));
    }
    return outcomes;
  }
}

/** What is not given stays as it is. */
const given = (settings: Readonly<Record<string, unknown>>): Partial<Settings> =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));

function questionsOf(marks: readonly QuestionMark[]): MarkedQuestion[] {
  return [...Map.groupBy(marks, ({ turnId }) => turnId)].map(([turnId, some]) => {
    const those = (mark: QuestionMark['mark']) =>
      new Set(some.flatMap((one) => (one.mark === mark ? [`${one.kind} ${one.itemId}`] : [])));
    return { text: some[0]?.question ?? '', turnId, useful: those('useful'), wrong: those('wrong') };
  });
}

function outcomeOf({ useful, wrong }: MarkedQuestion, { candidates }: Retrieval): Outcome {
  const keyOf = ({ kind, id }: (typeof candidates)[number]) => `${kind} ${id}`;
  const ranked = [...candidates].sort((one, other) => other.score - one.score).map(keyOf);
  const given = candidates.filter(({ verdict }) => verdict === 'injected').map(keyOf);
  const share = (keys: readonly string[]) =>
    useful.size === 0 ? null : keys.filter((key) => useful.has(key)).length / useful.size;
  const first = ranked.findIndex((key) => useful.has(key));
  return {
    recall: share(given),
    recallAt10: share(ranked.slice(0, RECALL_AT)),
    reciprocalRank: useful.size === 0 ? null : first < 0 ? 0 : 1 / (first + 1),
    wrongGiven: given.filter((key) => wrong.has(key)).length,
    wrong: wrong.size,
  };
}

function figuresOf(outcomes: readonly Outcome[]): SelfTestFigures {
  const mean = (name: 'recall' | 'recallAt10' | 'reciprocalRank') => {
    const values = outcomes.flatMap((one) => one[name] ?? []);
    return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  return {
    recall: mean('recall'),
    recallAt10: mean('recallAt10'),
    mrr: mean('reciprocalRank'),
    wrongGiven: outcomes.reduce((sum, one) => sum + one.wrongGiven, 0),
  };
}
