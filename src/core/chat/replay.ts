import type { Candidate, Retrieval, RetrievalSettings } from '../../shared/contract/retrieval.ts';
import type { Replay, ReplayChanges, Replayed, ReplayRow, Trace } from '../../shared/contract/traces.ts';
import { AppError } from '../../shared/errors.ts';
import type { TurnId } from '../../shared/ids.ts';
import type { ConversationStore } from '../storage/conversations.ts';
import type { PromptStore } from '../storage/prompts.ts';
import type { RetrievalLog } from '../storage/retrievalLog.ts';
import { estimateTokens } from '../support/text/tokens.ts';
import type { OtherSpaces } from './otherSpaces.ts';
import type { Asked, PlannerModel, PromptPlanner, RetrievalOptions } from './prompt/promptPlanner.ts';
import { questionOf } from './question.ts';

export interface ReplayPorts {
  planner: Pick<PromptPlanner, 'preview'>;
  retrievals: Pick<RetrievalLog, 'get'>;
  prompts: Pick<PromptStore, 'get'>;
  conversations: ConversationStore;
  otherSpaces: OtherSpaces;
}

type StoredTrace = Omit<Trace, 'prompt' | 'promptCut'>;

/** Makes retrievals again that were made before. No model is called, and nothing is stored. */
export class Replays {
  readonly #ports: ReplayPorts;

  constructor(ports: ReplayPorts) {
    this.#ports = ports;
  }

  /**
   * A retrieval made over what there is today, with the settings that it had and with others. It stands where it stood in its
   * conversation: what the prompt held then is held back.
   * @throws AppError NOT_FOUND, EMBEDDER_UNUSABLE
   */
  async replay(
    { id, embedder, ...changes }: ReplayChanges & { id: string },
    signal?: AbortSignal,
  ): Promise<Replay> {
    const trace = this.#ports.retrievals.get(id);
    if (!trace) throw new AppError('NOT_FOUND', { what: 'trace' });
    const made = trace.settings ?? {};
    const before = await this.#retrieve(trace, made, { signal });
    const changed = Object.entries(changes).filter(([, value]) => value !== undefined);
    const others = { ...made, ...Object.fromEntries(changed) };
    const after = await this.#ports.otherSpaces(
      embedder,
      (other) => this.#retrieve(trace, others, { other, signal }),
      signal,
    );
    const rows = compare(before, after);
    return {
      before: before.settings,
      after: after.settings,
      tokens: { before: before.tokens, after: after.tokens },
      rows,
      drifted: driftOf(trace, before),
    };
  }

  async #retrieve(
    trace: StoredTrace,
    {
      embedder: _embedder,
      followsUp: _followsUp,
      scope,
      minScore,
      maxResults,
      ...settings
    }: Partial<RetrievalSettings>,
    { other, signal }: Pick<RetrievalOptions, 'other' | 'signal'>,
  ): Promise<Retrieval> {
    const options: RetrievalOptions = {
      ...(scope === undefined ? {} : { scope }),
      ...(minScore === undefined ? {} : { minScore }),
      ...(maxResults === undefined ? {} : { limit: maxResults }),
      settings,
      noDeadline: true,
      other,
      signal,
    };
    const { retrieval } = await this.#ports.planner.preview(
      this.#askedAgain(trace),
      this.#modelOf(trace),
      options,
    );
    return retrieval;
  }

  /** The question where it was asked. Of a turn that is gone, the beginning of its message is left. */
  #askedAgain({ turnId, conversationId, version, question, channel, skipped }: StoredTrace): Asked {
    const turn = turnId === null ? undefined : this.#ports.conversations.turn(turnId);
    const withheld = skipped
      .filter(({ reason }) => reason.code === 'not-allowed')
      .map(({ source }) => source);
    return {
      turnId: turn ? turn.id : null,
      conversationId: turn ? conversationId : null,
      number: turn?.ordinal ?? 1,
      version: version ?? 1,
      question: turn ? this.#questionOf(turn.id) : question,
      channel,
      notRetrieved: null,
      sources: (['notes', 'memory'] as const).filter((source) => !withheld.includes(source)),
      withTools: false,
      withMemories: false,
    };
  }

  #questionOf(id: TurnId): string {
    return questionOf(this.#ports.conversations.messages(id));
  }

  /** Nothing was held back from a model that read no prompt. */
  #modelOf({ turnId, version }: StoredTrace): PlannerModel {
    const prompt = turnId === null || version === null ? null : this.#ports.prompts.get(turnId, version);
    return {
      isLocal: true,
      readsPrompt: prompt !== null,
      takesTools: false,
      contextTokens: async () => prompt?.contextTokens ?? Number.POSITIVE_INFINITY,
      countTokens: estimateTokens,
    };
  }
}

/** Every item of two retrievals: what the second gives, what only the first gives, and the rest by score. */
function compare(before: Retrieval, after: Retrieval): ReplayRow[] {
  const [first, second] = [replayed(before), replayed(after)];
  const rows = new Map<string, ReplayRow>();
  for (const candidate of [...after.candidates, ...before.candidates]) {
    const key = keyOf(candidate);
    if (rows.has(key)) continue;
    rows.set(key, {
      kind: candidate.kind,
      itemId: candidate.id,
      title: candidate.title ?? (candidate.kind === 'fact' ? candidate.excerpt : ''),
      path: candidate.path ?? null,
      heading: candidate.heading ?? [],
      before: first.get(key) ?? null,
      after: second.get(key) ?? null,
    });
  }
  const NOT_GIVEN = Number.MAX_SAFE_INTEGER;
  const order = ({ before: was, after: is }: ReplayRow): [number, number, number] => [
    is?.place ?? NOT_GIVEN,
    was?.place ?? NOT_GIVEN,
    -(is?.score ?? was?.score ?? 0),
  ];
  return [...rows.values()].sort((one, other) => {
    const [mine, theirs] = [order(one), order(other)];
    return mine[0] - theirs[0] || mine[1] - theirs[1] || mine[2] - theirs[2];
  });
}

function replayed({ candidates }: Retrieval): ReadonlyMap<string, Replayed> {
  let places = 0;
  return new Map(
    candidates.map((candidate) => {
      const { score, verdict, reason, tokens } = candidate;
      const place = verdict === 'injected' ? ++places : null;
      return [keyOf(candidate), { score, verdict, reason, tokens, place }] as const;
    }),
  );
}

/** How many items were given then and are not today, or the other way round. */
function driftOf({ items }: StoredTrace, today: Retrieval): number {
  const then = new Set(
    items.flatMap(({ kind, itemId, verdict }) => (verdict === 'injected' ? [`${kind} ${itemId}`] : [])),
  );
  const now = new Set(today.candidates.flatMap((one) => (one.verdict === 'injected' ? [keyOf(one)] : [])));
  return [...then, ...now].filter((key) => !then.has(key) || !now.has(key)).length;
}

const keyOf = ({ kind, id }: Pick<Candidate, 'kind' | 'id'>): string => `${kind} ${id}`;
