import type {
  Candidate,
  ItemKind,
  Retrieval,
  SearchMode,
  SearchResult,
  SearchScope,
} from '../../shared/contract/retrieval.ts';
import { AppError } from '../../shared/errors.ts';
import type { ConversationId, TurnId } from '../../shared/ids.ts';
import type { Settings } from '../../shared/settings.ts';
import type { SearchableVectors } from '../embedding/vectorMirror.ts';
import { dot } from '../embedding/wordVectors.ts';
import type { ConversationStore } from '../storage/conversations.ts';
import type { FactStore } from '../storage/facts.ts';
import type { NoteStore } from '../storage/notes.ts';
import type { Clock } from '../support/clock.ts';
import { derivedId } from '../support/ids.ts';
import type { Logger } from '../support/logger.ts';
import { detectLanguage } from '../support/text/language.ts';
import { estimateTokens } from '../support/text/tokens.ts';
import { type Asked, createCandidateSource, type Meaning } from './candidateSource.ts';
import { collect, Late, skipReason } from './collect.ts';
import { formatContextBlock, toBlockItem } from './contextBlock.ts';
import type { FullText } from './fullText.ts';
import type { NameStore } from './names.ts';
import { byScore, createPresenter, type Found } from './present.ts';
import { type Question, readQuestion } from './question.ts';
import { createDiffers } from './sameness.ts';
import { type Comparable, type Selectable, type SelectionRules, select } from './select.ts';
import { type CarriedText, createSemanticBuffer } from './semanticBuffer.ts';

/** What the next prompt of a conversation carries: a pure function of that prompt. */
export interface Carried {
  /** Items of blocks and turns whose messages stand there, with the number of their turn. */
  ids: ReadonlyMap<string, number>;
  /** The same as texts, the oldest first. */
  texts: readonly CarriedText[];
}

export interface RetrieveRequest {
  text: string;
  conversationId?: ConversationId | undefined;
  carried?: Carried | undefined;
  /** The turn being answered: it is not a memory of itself. */
  exceptTurn?: TurnId | undefined;
  limit?: number | undefined;
  minScore?: number | undefined;
  noDeadline?: boolean | undefined;
  signal?: AbortSignal | undefined;
}

export interface SearchRequest {
  text: string;
  mode: SearchMode;
  kinds?: readonly ItemKind[] | undefined;
  channel?: string | undefined;
  limit: number;
}

export interface RetrieverPorts {
  fullText: FullText;
  notes: NoteStore;
  conversations: ConversationStore;
  facts: FactStore;
  names: NameStore;
  settings(): Settings;
  meaning: Meaning | null;
  /** Null while they are being opened, or where there are none. */
  vectors(): SearchableVectors | null;
  /** Is a vault still being looked through? */
  indexing(): boolean;
  clock: Clock;
  log: Logger;
}

/** Characters of a passage that a turn is given. */
const CONTEXT_CHARACTERS = 500;
/** Characters of a search result. */
const RESULT_CHARACTERS = 200;
const SEARCHABLE: readonly ItemKind[] = ['note', 'turn', 'fact'];
const NOTHING_CARRIED: Carried = { ids: new Map(), texts: [] };
/** Of the deadline, what the embedder may use: the text's share is left for the text. */
const EMBEDDING_SHARE = 0.6;

export type Retriever = ReturnType<typeof createRetriever>;

export function createRetriever(ports: RetrieverPorts) {
  const { fullText, notes, conversations, clock, log, names } = ports;
  const source = createCandidateSource(fullText, ports.meaning, names.others);
  const wordsAlone = createCandidateSource(fullText, null);
  const semanticBuffer = createSemanticBuffer();
  const differs = createDiffers(ports.meaning?.lexicon ?? null);

  const scope = (exceptTurn?: TurnId): SearchScope => {
    const counts = notes.countIndexed();
    return {
      notesIndexed: counts.indexed,
      notesTotal: counts.indexed + counts.pending,
      turns: conversations.countTurns() - (exceptTurn === undefined ? 0 : 1),
      indexing: ports.indexing(),
    };
  };

  const ask = async (text: string, serving: SearchableVectors, signal?: AbortSignal): Promise<Asked> => {
    const { embedder, vectors, scale, similarity } = serving;
    const vector = await embedder.embedQuery(text, signal);
    if (vector.length !== vectors.dimensions || !vector.every(Number.isFinite)) {
      throw new AppError('EMBEDDER_FAILED', { reason: 'its vectors make no sense' });
    }
    return { vector, vectors, scale, similarity, contextual: embedder.contextual };
  };

  /** Of two texts that differ in a number, a date, a name or a negation none stands for the other, however alike they read. */
  const similarityBy = (serving: SearchableVectors | null, threshold: number) => {
    return (one: Comparable, other: Comparable): number => {
      if (!serving || !one.vector || !other.vector) return 0;
      const alike = serving.similarity(dot(one.vector, other.vector));
      return alike > threshold && differs(one.text, other.text) ? threshold : alike;
    };
  };

  const rulesOf = (
    request: RetrieveRequest,
    settings: Settings,
  ): Omit<SelectionRules, 'buffer' | 'similarity'> => ({
    minScore: request.minScore ?? settings.minScore,
    maxResults: request.limit ?? settings.maxResults,
    maxInjected: settings.maxInjected,
    tokenBudget: settings.tokenBudget,
    dedupThreshold: settings.dedupThreshold,
    carried: (request.carried ?? NOTHING_CARRIED).ids,
  });

  /** The vectors' part, within its share of the deadline; what is missing is told in `skipped`. */
  const understand = async (request: RetrieveRequest, settings: Settings, skipped: Retrieval['skipped']) => {
    const none = { serving: null, asked: null, buffer: [] };
    const serving = ports.vectors();
    if (!serving) {
      skipped.push({ source: 'vectors', reason: { code: 'not-ready', figures: {} } });
      return none;
    }
    const limitMs = settings.timeoutMs * EMBEDDING_SHARE;
    const signals = [
      request.signal,
      request.noDeadline ? undefined : AbortSignal.timeout(Math.max(1, Math.round(limitMs))),
    ].filter((signal) => signal !== undefined);
    const signal = signals.length > 0 ? AbortSignal.any(signals) : undefined;
    try {
      const [asked, buffer] = await Promise.all([
        ask(request.text, serving, signal),
        semanticBuffer.embed((request.carried ?? NOTHING_CARRIED).texts, {
          limit: settings.semanticBuffer,
          embedder: serving.embedder,
          signal,
        }),
      ]);
      return { serving, asked, buffer };
    } catch (error) {
      request.signal?.throwIfAborted();
      const late = signal?.aborted ? new Late(limitMs, Math.round(limitMs)) : error;
      skipped.push({ source: 'vectors', reason: skipReason(late) });
      log.warn({ source: 'vectors', err: error }, 'retrieval source skipped');
      return none;
    }
  };

  const conversationOf = (id: ConversationId | undefined) => {
    const row = id === undefined ? undefined : conversations.get(id);
    return row ? { id: row.id, channel: row.channel } : null;
  };

  return {
    /**
     * What the next turn would be given for `text`. Reads only.
     * @throws the request's signal's reason, where it was aborted
     */
    retrieve: async (request: RetrieveRequest): Promise<Retrieval> => {
      const startedAt = performance.now();
      const settings = ports.settings();
      const question = readQuestion(request.text, clock.now());
      const skipped: Retrieval['skipped'] = [];
      const { serving, asked, buffer } = await understand(request, settings, skipped);
      const embedded = performance.now();
      const collected = collect(
        source,
        {
          question,
          asked,
          settings,
          limit: Math.max(settings.candidatesPerSource, request.limit ?? 0),
          now: clock.now(),
          conversation: conversationOf(request.conversationId),
          exceptTurn: request.exceptTurn,
          inTime: () => {
            const elapsedMs = performance.now() - startedAt;
            if (!request.noDeadline && elapsedMs > settings.timeoutMs) {
              throw new Late(elapsedMs, settings.timeoutMs);
            }
          },
        },
        { fullText, facts: ports.facts, names, log },
      );
      const { found } = collected;
      skipped.push(...collected.skipped);
      const searched = performance.now();

      const present = createPresenter(conversations, question, found);
      const results = found.map((one) => present.toResult(one, present.excerpt(one, CONTEXT_CHARACTERS)));
      const excerpted = performance.now();

      const toSelectable = (one: Found, index: number): Selectable => ({
        id: one.scored.row.id,
        kind: one.kind,
        score: one.scored.score,
        tokens: estimateTokens(results[index]?.excerpt ?? ''),
        text: present.plainText(one),
        vector: serving?.vectors.vector(one.kind === 'note' ? 'chunk' : one.kind, one.scored.row.id),
        echo: present.isEcho(one),
        standing: one.standing ?? null,
        expired: one.kind === 'fact' && (one.scored.row.expiresAt ?? Number.POSITIVE_INFINITY) <= clock.now(),
        originTurn: one.kind === 'fact' ? one.scored.row.turnId : null,
      });
      const decisions = select(found.map(toSelectable), {
        ...rulesOf(request, settings),
        buffer,
        similarity: similarityBy(serving, settings.dedupThreshold),
      });
      const candidates = results.map((result): Candidate => {
        const decision = decisions.get(result.id);
        if (!decision) throw new Error('a candidate without a verdict');
        return { ...result, ...decision, tokens: estimateTokens(result.excerpt) };
      });
      const block = formatContextBlock(
        candidates
          .filter((candidate) => candidate.verdict === 'injected')
          .map((candidate) => toBlockItem(candidate, clock.now())),
        {
          language: detectLanguage(request.text, 'en'),
          now: clock.now(),
          marker: derivedId('q', request.text, ...candidates.map(({ excerpt }) => excerpt)).slice(0, 12),
        },
      );
      const now = performance.now();
      return {
        candidates,
        block,
        tokens: estimateTokens(block),
        timingsMs: {
          embed: embedded - startedAt,
          search: searched - embedded,
          excerpts: excerpted - searched,
          select: now - excerpted,
          total: now - startedAt,
        },
        skipped,
        scope: scope(request.exceptTurn),
      };
    },

    /**
     * Searches by words alone (`text`), by meaning alone (`semantic`), or by both (`hybrid`).
     * @throws AppError MODE_UNAVAILABLE where there are no vectors, KIND_UNAVAILABLE
     */
    search: async ({ text, mode, kinds, channel, limit }: SearchRequest): Promise<SearchResult[]> => {
      for (const kind of kinds ?? []) {
        if (!SEARCHABLE.includes(kind))
          throw new AppError('KIND_UNAVAILABLE', { kind, available: SEARCHABLE.join(', ') });
      }
      const serving = ports.vectors();
      if (!serving && mode === 'semantic') {
        throw new AppError('MODE_UNAVAILABLE', { mode, available: 'text, hybrid' });
      }
      const question: Question = readQuestion(text, clock.now());
      const asked = serving && mode !== 'text' ? await ask(text, serving) : null;
      const by = { text: wordsAlone, semantic: source.alike, hybrid: source }[mode];
      const found: Found[] = [];
      const options = { limit, asked };
      // Notes belong to no channel.
      const among = (kinds ?? SEARCHABLE).filter((kind) => channel === undefined || kind !== 'note');
      const within = (index: 'turn' | 'fact') =>
        channel === undefined ? null : fullText.rowsOf(index, { channel });
      if (among.includes('note'))
        found.push(...by.notes(question, options).map((scored): Found => ({ kind: 'note', scored })));
      if (among.includes('fact'))
        found.push(
          ...by
            .facts(question, { ...options, within: within('fact') })
            .map((scored): Found => ({ kind: 'fact', scored })),
        );
      if (among.includes('turn'))
        found.push(
          ...by
            .turns(question, { ...options, within: within('turn') })
            .map((scored): Found => ({ kind: 'turn', scored })),
        );
      const best = found.sort(byScore).slice(0, limit);
      const present = createPresenter(conversations, question, best);
      return best.map((one) => present.toResult(one, present.excerpt(one, RESULT_CHARACTERS)));
    },
  };
}
