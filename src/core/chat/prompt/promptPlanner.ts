import type { ChoicesInForce, Scope } from '../../../shared/choices.ts';
import type { Source } from '../../../shared/contract/prompt.ts';
import type { SkippedSource, SkipReason } from '../../../shared/contract/reasons.ts';
import type { Retrieval, RetrievalSettings, SearchScope } from '../../../shared/contract/retrieval.ts';
import type { Language } from '../../../shared/errors.ts';
import type { ConversationId, TurnId } from '../../../shared/ids.ts';
import type { Settings } from '../../../shared/settings.ts';
import { quotedHashes } from '../../items/index.ts';
import type { ChatModel, ToolDefinition } from '../../models/chatModel.ts';
import type { Finding, Findings, ItemRef } from '../../search/findings.ts';
import { isFollowUp } from '../../search/query/followUp.ts';
import { similarityOf } from '../../search/sameness.ts';
import type { FindRequest, SearchClient } from '../../search/searchClient.ts';
import type { Selectable } from '../../search/select.ts';
import type { OtherSpace } from '../../search/vector/otherVectors.ts';
import type { Db } from '../../storage/database.ts';
import type { Clock } from '../../support/clock.ts';
import { MARKER_DIGITS, newMarker, sha256 } from '../../support/ids.ts';
import { detectLanguage } from '../../support/text/language.ts';
import type { Toolbox } from '../tools/toolbox.ts';
import type { TurnStore } from '../turnStore.ts';
import type { AttachedFile } from './attached.ts';
import type { Past } from './loadPast.ts';
import type { PlannedModel, PromptPlan } from './plan.ts';
import { planPrompt } from './planPrompt.ts';
import { textKeyOf } from './textKey.ts';

export interface PlannerPorts {
  db: Db;
  search: Pick<SearchClient, 'find'>;
  turns: TurnStore;
  /** The tools that a model may be offered that may be told so much. */
  toolbox: Pick<Toolbox, 'offered'>;
  settings(): Settings;
  /** What holds in a conversation; in a new one of the channel `chat`, if it is null. */
  choices(id: ConversationId | null): Pick<ChoicesInForce, 'systemPrompt' | 'scope'>;
  clock: Clock;
  /** Language of a conversation whose first message does not show its own. */
  language(): Language;
  /** Do two texts differ in a number, a date, a name or a negation? */
  differs(one: string, other: string): boolean;
}

/** Why a turn is given neither notes nor memory. */
export type NotRetrieved = Extract<SkipReason['code'], 'switched-off' | 'own-message'>;

/** What a turn may be given, and what its reply is asked for. */
export interface TurnRules {
  /** Null if what answers it is searched for. */
  notRetrieved: NotRetrieved | null;
  /** What may be sent beside the user's own messages, as far as the settings allow it; nothing else is searched. */
  sources: readonly Source[];
  /** Is the model offered tools, if the settings allow it? */
  withTools: boolean;
  /** Is the reply to bring along what is to be remembered? */
  withMemories: boolean;
}

/** A turn that is to be answered, or a question that might be. */
export interface Asked extends TurnRules {
  turnId: TurnId | null;
  /** Null for a question outside every conversation. */
  conversationId: ConversationId | null;
  /** Its place in the conversation, from 1. */
  number: number;
  /** Of its reply. */
  version: number;
  question: string;
  channel: string;
}

/** What a plan asks of a model; it need not be one that answers. */
export type PlannerModel = Omit<ChatModel, 'name' | 'reply'>;

export type TurnToPlan = Asked & { turnId: TurnId };

/** What one retrieval may be asked to do otherwise than the settings say. */
export interface RetrievalOptions {
  limit?: number | undefined;
  minScore?: number | undefined;
  noDeadline?: boolean | undefined;
  scope?: Scope | undefined;
  withoutMarks?: boolean | undefined;
  /** Another embedder than that of the index. */
  other?: OtherSpace | undefined;
  /** What else of the settings is otherwise. */
  settings?: Partial<Settings> | undefined;
  /** What is attached to a question that is not sent. */
  attached?: ((options: { maySend: ReadonlySet<Source>; now: number }) => AttachedFile[]) | undefined;
  signal?: AbortSignal | undefined;
}

export interface PlannedTurn {
  plan: PromptPlan;
  /** What was found and judged. If nothing was searched, it has no candidates, and `skipped` says why. */
  retrieval: Retrieval;
  /** Was anything searched for it? */
  isSearched: boolean;
}

export const NOTHING_SEARCHED: SearchScope = { notesIndexed: 0, notesTotal: 0, turns: 0, indexing: false };
const NO_FINDINGS: Findings = {
  items: [],
  vectors: [],
  scale: null,
  fingerprint: null,
  followsUp: false,
  skipped: [],
  timingsMs: { embed: 0, search: 0, excerpts: 0 },
  scope: NOTHING_SEARCHED,
};
/** Of so many questions the last may each follow up the one before. */
const FOLLOWED = 3;
/** The share of a context that the description of the tools may take: what they find needs several times as much. */
const MOST_OF_CONTEXT = 1 / 8;

/** Reads what a plan needs, has it made, and writes it down: what is stored is what is sent. */
export class PromptPlanner {
  readonly #ports: PlannerPorts;

  constructor(ports: PlannerPorts) {
    this.#ports = ports;
  }

  /** The plan of a question that is not sent. Reads only. */
  async preview(asked: Asked, model: PlannerModel, options: RetrievalOptions): Promise<PlannedTurn> {
    const startedAt = performance.now();
    const planned = await this.#prepare(asked, model, options);
    return finish(planned, startedAt);
  }

  /**
   * The plan of a turn, written down with its block and its retrieval. From then on the block is in the prompt.
   * @throws AppError DISK_FULL; the reason of the signal if it was aborted
   */
  async plan(asked: TurnToPlan, model: ChatModel, signal: AbortSignal): Promise<PlannedTurn> {
    const startedAt = performance.now();
    const planned = await this.#prepare(asked, model, { signal });
    const { turns, clock } = this.#ports;
    const turn = finish(planned, startedAt);
    turns.writePlan(asked, turn, { readsPrompt: model.readsPrompt, now: clock.now() });
    return turn;
  }

  /** Takes back what a version was given, before its turn is answered from the start once more. */
  discard(turnId: TurnId, version: number): void {
    this.#ports.turns.discard({ turnId, version });
  }

  /** Searches; the function it gives then reads the conversation and plans without a pause in between, so that nothing changes meanwhile. */
  async #prepare(
    asked: Asked,
    model: PlannerModel,
    { attached, ...options }: RetrievalOptions,
  ): Promise<Planned> {
    const { search, clock } = this.#ports;
    const { settings: others, ...request } = options;
    const settings = { ...this.#ports.settings(), ...others };
    const maySend = sendable(model, settings, asked.sources);
    const contextTokens = await model.contextTokens(options.signal);
    const planned: PlannedModel = {
      readsPrompt: model.readsPrompt,
      contextTokens,
      countTokens: (text) => model.countTokens(text),
      maySend,
      tools: this.#tools(asked, model, { maySend, contextTokens, settings }),
    };
    const withheld = withheldSources(asked, maySend);
    const retrieves = asked.notRetrieved === null && maySend.size > 0;
    const held = retrieves && model.readsPrompt ? this.#itemsInPrompt(asked) : [];
    const before = retrieves ? this.#askedBefore(asked) : [];
    const minScore = options.minScore ?? settings.minScore;
    const find = (also: Pick<FindRequest, 'noDeadline'>) =>
      search.find({
        text: asked.question,
        before,
        ...(asked.conversationId === null
          ? { channel: asked.channel }
          : { conversationId: asked.conversationId }),
        ...(asked.turnId === null ? {} : { exceptTurn: asked.turnId }),
        ...(asked.sources.includes('memory') ? {} : { sources: ['notes'] as const, withoutMarks: true }),
        vectorsOf: held,
        ...request,
        minScore,
        ...also,
      });
    let findings = retrieves ? await find({}) : NO_FINDINGS;
    // Who has nothing to say but what is found waits for it, if nothing that was ready answers.
    if (
      !model.readsPrompt &&
      isLate(findings) &&
      findings.items.every(({ result }) => result.score < minScore)
    )
      findings = await find({ noDeadline: true });
    const rules = {
      ...settings,
      minScore,
      maxResults: options.limit ?? settings.maxResults,
    };
    return () => {
      const past = this.#loadPast(asked);
      const { items, scale, vectors } = findings;
      const sendableItems = items.filter(({ result }) =>
        maySend.has(result.kind === 'note' ? 'notes' : 'memory'),
      );
      const vectorBy = new Map(held.map((ref, place) => [keyOf(ref), vectors[place] ?? null]));
      const now = clock.now();
      const { files, others } =
        asked.turnId === null
          ? { files: attached?.({ maySend, now }) ?? [], others: [] }
          : this.#ports.turns.attached({ turnId: asked.turnId, version: asked.version }, { maySend, now });
      const plan = planPrompt({
        past: past.turns,
        asked: {
          id: asked.turnId ?? ('asked' as TurnId),
          number: asked.number,
          question: asked.question,
        },
        attached: files,
        otherAttached: others,
        previous: past.previous,
        summaries: past.summaries,
        candidates: this.#toSelectables(sendableItems, minScore),
        similarity: similarityOf(scale, {
          differs: this.#ports.differs,
          threshold: settings.dedupThreshold,
        }),
        vectorOf: (item) => vectorBy.get(keyOf(item)) ?? null,
        settings: rules,
        model: planned,
        language: detectLanguage(past.firstMessage ?? asked.question, this.#ports.language()),
        withMemories: asked.withMemories,
        systemPrompt: this.#ports.choices(asked.conversationId).systemPrompt,
        now,
        nextNumber: asked.conversationId === null ? 1 : this.#nextNumber(asked.conversationId, model),
        otherBlocks:
          asked.turnId === null
            ? []
            : this.#ports.turns.otherBlocks({ turnId: asked.turnId, version: asked.version }, now),
        // A preview is sent nowhere, and is the same each time.
        drawMarker: () =>
          asked.turnId === null ? sha256(asked.question).slice(0, MARKER_DIGITS) : newMarker(),
      });
      const scope = options.scope ?? this.#ports.choices(asked.conversationId).scope;
      return {
        plan,
        isSearched: retrieves,
        findings: { ...findings, skipped: [...withheld, ...findings.skipped] },
        settings: settingsOf(rules, {
          scope,
          embedder: findings.fingerprint,
          followsUp: findings.followsUp,
        }),
      };
    };
  }

  #loadPast(asked: Asked): Past {
    const { conversationId, number } = asked;
    if (conversationId === null) return { turns: [], previous: null, summaries: [], firstMessage: null };
    return this.#ports.turns.past({ conversationId, number }, this.#ports.clock.now());
  }

  /** What the turns right before a follow-up asked, the latest first; nothing for what stands by itself. */
  #askedBefore({ conversationId, number, question }: Asked): string[] {
    return conversationId === null || !isFollowUp(question)
      ? []
      : this.#ports.turns.questionsBefore({ conversationId, number }, FOLLOWED);
  }

  /** What the prompt may hold: the turns of the window, and the items of their blocks. */
  #itemsInPrompt(asked: Asked): ItemRef[] {
    const { turns, summaries } = this.#loadPast(asked);
    return [
      ...summaries.map(({ id }): ItemRef => ({ kind: 'summary', id })),
      ...turns.flatMap(({ id, block, messages }): ItemRef[] => {
        const items = [...(block?.items ?? []), ...messages.flatMap(({ found }) => found ?? [])];
        return [{ kind: 'turn', id }, ...items.map(({ kind, id: itemId }) => ({ kind, id: itemId }))];
      }),
    ];
  }

  /** Each finding, with whether it still says what it said when it was found: of those that may be given. */
  #toSelectables(findings: readonly Finding[], minScore: number): Selectable[] {
    const mayBeGiven = findings.filter(({ result, always }) => always !== null || result.score >= minScore);
    const refs = mayBeGiven.map(({ result }) => ({ kind: result.kind, id: result.id }));
    const hashes = quotedHashes(this.#ports.db, refs, this.#ports.clock.now());
    const changed = new Set(
      mayBeGiven.filter(
        ({ expired, quotedHash }, place) =>
          !expired && (hashes[place] === null || hashes[place] !== quotedHash),
      ),
    );
    return findings.map((finding) => ({
      finding,
      // Few of them are compared with anything.
      get textKey() {
        return textKeyOf(finding);
      },
      current: !changed.has(finding),
    }));
  }

  #nextNumber(conversationId: ConversationId, model: PlannerModel): number {
    return model.readsPrompt ? this.#ports.turns.highestNumber(conversationId) + 1 : 1;
  }

  /** None where their description alone would fill the context. */
  #tools(
    asked: Asked,
    model: PlannerModel,
    {
      maySend,
      contextTokens,
      settings,
    }: Pick<PlannedModel, 'maySend' | 'contextTokens'> & { settings: Settings },
  ): readonly ToolDefinition[] {
    if (!settings.tools || !model.takesTools || !asked.withTools) return [];
    const tools = this.#ports.toolbox.offered(maySend);
    return model.countTokens(JSON.stringify(tools)) > contextTokens * MOST_OF_CONTEXT ? [] : tools;
  }
}

const isLate = ({ skipped }: Findings): boolean => skipped.some(({ reason }) => reason.code === 'late');

const keyOf = ({ kind, id }: ItemRef): string => `${kind} ${id}`;

/** What may be sent to a model beside the user's own messages: everything to one on this computer, else what the user allows. */
function sendable(model: PlannerModel, settings: Settings, sources: readonly Source[]): ReadonlySet<Source> {
  return new Set(
    sources.filter(
      (source) => model.isLocal || settings[source === 'notes' ? 'chat.sendNotes' : 'chat.sendMemory'],
    ),
  );
}

/** The sources whose items are not given, whatever they hold. */
function withheldSources({ notRetrieved }: Asked, maySend: ReadonlySet<Source>): SkippedSource[] {
  return (['notes', 'memory'] as const).flatMap((source): SkippedSource[] => {
    const code = notRetrieved ?? (maySend.has(source) ? null : 'not-allowed');
    return code === null ? [] : [{ source, reason: { code, figures: {} } }];
  });
}

/** What a retrieval is recorded with. */
function settingsOf(
  rules: Settings,
  told: Pick<RetrievalSettings, 'scope' | 'embedder' | 'followsUp'>,
): RetrievalSettings {
  const { minScore, maxResults, maxInjected, tokenBudget } = rules;
  const { dedupThreshold, semanticBuffer, contextWindowDepth } = rules;
  return {
    minScore,
    maxResults,
    maxInjected,
    tokenBudget,
    dedupThreshold,
    semanticBuffer,
    contextWindowDepth,
    ...told,
  };
}

type Planned = () => {
  plan: PromptPlan;
  isSearched: boolean;
  findings: Findings;
  settings: RetrievalSettings;
};

/** Plans, and times it: `select` is the plan alone, `total` everything since the question came. */
function finish(planned: Planned, startedAt: number): PlannedTurn {
  const searched = performance.now();
  const { plan, isSearched, findings, settings } = planned();
  const { timingsMs, skipped, scope } = findings;
  const now = performance.now();
  return {
    plan,
    isSearched,
    retrieval: {
      candidates: [...plan.candidates],
      block: plan.block?.text ?? '',
      tokens: plan.blockTokens,
      timingsMs: { ...timingsMs, select: now - searched, total: now - startedAt },
      skipped,
      scope,
      settings,
    },
  };
}
