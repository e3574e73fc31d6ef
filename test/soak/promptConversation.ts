import type { PlannedTurn } from '../../src/core/chat/prompt/promptPlanner.ts';
import { sourcesOf } from '../../src/core/chat/prompt/sources.ts';
import { WITHHELD_REPLY } from '../../src/core/chat/prompt/systemText.ts';
import { ordinaryRules } from '../../src/core/chat/turnRules.ts';
import { similarityOn } from '../../src/core/embedding/similarity.ts';
import { dot } from '../../src/core/embedding/wordVectors.ts';
import type { Db } from '../../src/core/storage/database.ts';
import { sha256 } from '../../src/core/support/ids.ts';
import { estimateTokens } from '../../src/core/support/text/tokens.ts';
import type { Candidate, ItemKind } from '../../src/shared/contract/retrieval.ts';
import type { TurnId } from '../../src/shared/ids.ts';
import { PromptWorld, SCALE } from './promptWorld.ts';

/** A turn that was asked, as the test remembers it. */
interface AskedTurn {
  id: TurnId;
  /** Its ordinal. */
  number: number;
  version: number;
  versions: number;
  messages: string[];
}

interface QuotedItem {
  number: number;
  excerpt: string;
}

/** A version of a turn. */
const versionOf = ({ id, version }: AskedTurn): string => `${id} ${version}`;

/** What a run of one conversation counted. */
export interface ConversationCounts {
  prompts: number;
  steps: Record<string, number>;
  withheld: number;
  injected: number;
  heldBack: number;
  /** Turns of which summaries told. */
  told: number;
  otherParts: number;
}

export function noCounts(): ConversationCounts {
  return { prompts: 0, steps: {}, withheld: 0, injected: 0, heldBack: 0, told: 0, otherParts: 0 };
}

const NAMED_REASONS = new Set([
  'in-prompt',
  'like-prompt',
  'like-selected',
  'only-asks',
  'taught-fact',
  'over-limit',
  'over-budget',
  'expired',
  'changed',
]);

/**
 * Holds one random conversation: questions, edits, regenerations, deletions, other versions, other contexts, other settings,
 * remote models and restarts; and checks every prompt against what it promises.
 * @throws Error that names the seed, the step and the promise that was broken
 */
export async function runPromptConversation(db: Db, seed: number): Promise<ConversationCounts> {
  const run = new ConversationRun(new PromptWorld(db, seed));
  try {
    await run.play();
  } catch (error) {
    throw new Error(`seed ${seed}, prompt ${run.counts.prompts}: ${(error as Error).message}`, {
      cause: error,
    });
  }
  return run.counts;
}

/**
 * Holds a plain conversation of so many turns, each summarised before the next is asked. Every prompt's beginning, cover and budget are
 * checked, and all that it promises wherever it has a step.
 * @throws Error as `runPromptConversation`
 */
export async function runLongConversation(db: Db, seed: number, turns: number): Promise<ConversationCounts> {
  const run = new ConversationRun(new PromptWorld(db, seed));
  await run.talk(turns);
  return run.counts;
}

class ConversationRun {
  readonly counts = noCounts();
  readonly #world: PromptWorld;
  /** Those of the active path. */
  readonly #turns: AskedTurn[] = [];
  /** What was said after versions that are not shown. */
  readonly #aside = new Map<string, AskedTurn[]>();
  #made = 0;
  /** Is every prompt checked whole, or only those that have a step? */
  #checksAll = true;
  /** The prompt that was sent for each version of a turn. */
  readonly #sent = new Map<string, PlannedTurn['plan']['messages']>();
  /** What each citation number names. */
  readonly #named = new Map<number, string>();

  constructor(world: PromptWorld) {
    this.#world = world;
  }

  async talk(turns: number): Promise<void> {
    this.#checksAll = false;
    for (let step = turns; step > 0; step -= 1) {
      this.#world.now += 3_600_000;
      await this.#world.summarise();
      await this.#ask();
    }
  }

  async play(): Promise<void> {
    const world = this.#world;
    for (let step = world.between(3, 26); step > 0; step -= 1) {
      world.now += world.between(1, 40) * 3_600_000;
      this.#disturb();
      if (world.random() < 0.7) await world.summarise();
      const chance = world.random();
      if (chance < 0.12 && this.#turns.length > 0) await this.#regenerate();
      else await this.#ask();
      if (world.random() < 0.1 && this.#turns.length > 0) this.#chooseVersion();
    }
  }

  /** Something that happens between two messages. */
  #disturb(): void {
    const world = this.#world;
    const chance = world.random();
    const item = world.items.length > 2 ? world.pick(world.items) : null;
    if (chance < 0.08 && item) world.change(item, world.text(world.between(1, 8)));
    else if (chance < 0.14 && item) world.change(item, null);
    else if (chance < 0.2) world.model.contextTokens = world.pick([1_200, 2_048, 4_096, 8_192, 16_000]);
    else if (chance < 0.24) world.restart();
    else if (chance < 0.28) world.settings.maxResults = world.between(1, 10);
    else if (chance < 0.32) world.settings.tokenBudget = world.pick([200, 800, 1_500, 6_000]);
    else if (chance < 0.36) world.settings.contextWindowDepth = world.pick([1, 2, 5, 10, 30]);
    else if (chance < 0.4) world.settings.dedupThreshold = world.pick([0.7, 0.85, 0.95]);
    else if (chance < 0.43) world.settings.semanticBuffer = world.pick([0, 5, 100]);
    else if (chance < 0.48) world.model.isLocal = !world.model.isLocal;
    else if (chance < 0.5) world.settings['chat.sendNotes'] = !world.settings['chat.sendNotes'];
    else if (chance < 0.52) world.settings['chat.sendMemory'] = !world.settings['chat.sendMemory'];
  }

  async #ask(): Promise<void> {
    const world = this.#world;
    const count = world.random() < 0.15 ? 2 : 1;
    const sentences = world.random() < 0.06 ? 200 : world.between(1, 6);
    const messages = Array.from({ length: count }, () => world.text(sentences));
    const id = world.addTurn(messages);
    this.#made += 1;
    const number = this.#made;
    const turn: AskedTurn = { id, number, version: 1, versions: 1, messages };
    this.#turns.push(turn);
    world.addReply(id, 1);
    await this.#answer(turn);
  }

  async #regenerate(): Promise<void> {
    const world = this.#world;
    const turn = world.random() < 0.7 ? (this.#turns.at(-1) as AskedTurn) : world.pick(this.#turns);
    turn.versions += 1;
    this.#show(turn, turn.versions);
    world.addReply(turn.id, turn.version);
    await this.#answer(turn);
  }

  #chooseVersion(): void {
    const turn = this.#world.pick(this.#turns);
    this.#show(turn, this.#world.between(1, turn.versions));
    this.#world.conversations.setActiveVersion(turn.id, turn.version);
  }

  /** Another version takes what was said after it along. */
  #show(turn: AskedTurn, version: number): void {
    this.#aside.set(versionOf(turn), this.#turns.splice(this.#turns.indexOf(turn) + 1));
    turn.version = version;
    this.#turns.push(...(this.#aside.get(versionOf(turn)) ?? []));
  }

  async #answer(turn: AskedTurn): Promise<void> {
    const world = this.#world;
    const maySend = new Set(
      (['notes', 'memory'] as const).filter(
        (source) =>
          world.model.isLocal || world.settings[source === 'notes' ? 'chat.sendNotes' : 'chat.sendMemory'],
      ),
    );
    const planned = await world.planner.plan(
      {
        turnId: turn.id,
        conversationId: world.conversationId,
        number: turn.number,
        version: turn.version,
        question: turn.messages.join('\n\n'),
        channel: 'chat',
        ...ordinaryRules({ system: false }, world.settings),
        notRetrieved: world.random() < 0.9 ? null : 'switched-off',
      },
      world.chatModel(),
      AbortSignal.timeout(60_000),
    );
    this.counts.prompts += 1;
    this.#check(turn, planned, maySend);
    this.#sent.set(versionOf(turn), planned.plan.messages);
    if (world.random() < 0.93) {
      world.endReply(
        turn.id,
        turn.version,
        world.text(world.random() < 0.1 ? world.between(40, 90) : world.between(1, 10)),
      );
    }
  }

  #check(turn: AskedTurn, planned: PlannedTurn, maySend: ReadonlySet<string>): void {
    this.#checkCover(planned);
    this.#checkBeginning(turn, planned);
    this.#checkBudget(turn, planned);
    if (!this.#checksAll && planned.plan.steps.length === 0) return;
    const quoted = this.#checkBlocks(turn, planned);
    this.#checkSpans(turn, quoted);
    this.#checkVerdicts(turn, planned);
    this.#checkWithheld(turn, planned, maySend);
  }

  /** Ids and texts in the bytes that were sent are those of the layout and of the rows, the new ones those that were injected. */
  #checkBlocks(turn: AskedTurn, { plan, retrieval }: PlannedTurn): QuotedItem[] {
    const sent: QuotedItem[] = [];
    for (const [place, { content }] of plan.messages.entries()) {
      const entry = plan.layout[place];
      if (entry?.kind !== 'block') {
        promise(entry?.tokens === estimateTokens(content), 'a message has the tokens of its entry');
        continue;
      }
      const marker = /<<<([0-9a-f]{12})\n/.exec(content)?.[1] ?? '';
      const quotes = [
        ...content.matchAll(
          new RegExp(
            String.raw`^\[(\d+)\] [^\n]*\n<<<${marker}\n(?:(?:« |\((?:channel|canal) ).*\n)?(.*)\n${marker}>>>$`,
            'gm',
          ),
        ),
      ].map(([, number, excerpt]) => ({ number: Number(number), excerpt: excerpt as string }));
      const numbers = quotes.map(({ number }) => number);
      promise(
        JSON.stringify(numbers) === JSON.stringify(entry.items.map(({ number }) => number)),
        'a block quotes the items of its entry',
      );
      for (const { number, excerpt } of quotes) {
        const id = entry.items.find((item) => item.number === number)?.id;
        const named = `${id} ${excerpt}`;
        promise((this.#named.get(number) ?? named) === named, `number ${number} names one passage for ever`);
        this.#named.set(number, named);
        const row = this.#row(entry.turnId as TurnId, number);
        promise(row?.excerpt === excerpt && row.item_id === id, 'a quoted text is the stored one');
      }
      promise(
        this.#storedText(entry.turnId as TurnId) === content,
        'the bytes of a block are those that are stored',
      );
      sent.push(...quotes);
    }
    const injected = (retrieval?.candidates ?? []).filter(({ verdict }) => verdict === 'injected');
    const own = plan.layout
      .filter(({ kind, turnId }) => kind === 'block' && turnId === turn.id)
      .flatMap(({ items }) => items.map(({ id }) => id));
    promise(
      JSON.stringify(own) === JSON.stringify(injected.map(({ id }) => id)),
      'the new block holds what was injected, in order',
    );
    const texts = new Set(sent.map(({ excerpt }) => excerpt));
    promise(
      injected.every(({ excerpt }) => texts.has(excerpt)),
      'what was injected is in the bytes',
    );
    this.counts.injected += injected.length;
    return sent;
  }

  /** A prompt begins with the whole one before it, unless it says why not. */
  #checkBeginning(turn: AskedTurn, { plan }: PlannedTurn): void {
    for (const { code } of plan.steps) this.counts.steps[code] = (this.counts.steps[code] ?? 0) + 1;
    const last = this.#turns[this.#turns.indexOf(turn) - 1];
    const before = last && this.#sent.get(versionOf(last));
    if (!before) return;
    const begins = before.every(
      ({ role, content }, place) =>
        plan.messages[place]?.role === role && plan.messages[place]?.content === content,
    );
    promise(
      begins === (plan.steps.length === 0),
      `it begins with the one before, or says why not (${begins})`,
    );
  }

  /** Summaries tell of turns that have left, each once, ten at most, and of all of them that were summarised. */
  #checkCover({ plan }: PlannedTurn): void {
    const { conversationId, conversations, db, summaries } = this.#world;
    const covers = plan.layout.filter(({ kind }) => kind === 'summaries');
    promise(
      covers.length <= 1 &&
        covers[0] === plan.layout.find(({ kind }) => kind !== 'system' && covers.length > 0),
      'summaries come first',
    );
    const first = Math.min(...plan.layout.flatMap(({ turn }) => (turn === null ? [] : [turn])));
    const told = (covers[0]?.items ?? []).flatMap(({ id }) =>
      db
        .all<{ n: number }>(
          'SELECT t.ordinal AS n FROM summary_turns b JOIN turns t ON t.id = b.turn_id WHERE b.summary_id = ? ORDER BY n',
          id,
        )
        .map(({ n }) => n),
    );
    promise((covers[0]?.items.length ?? 0) <= 10, 'there are ten summaries at most');
    promise(new Set(told).size === told.length, 'no turn is told of twice');
    promise(
      told.every((number) => number < first),
      'no turn stands beside its summary',
    );
    this.counts.told += told.length;
    if (summaries.isDue() || !this.#world.model.isLocal) return;
    const left = conversations.activeTurns(conversationId).filter(({ ordinal }) => ordinal < first);
    promise(
      told.length === left.length,
      `all of ${left.length} turns that have left are told of, ${told.length}`,
    );
  }

  #checkBudget(asked: AskedTurn, { plan }: PlannedTurn): void {
    const { contextTokens } = this.#world.model;
    const { tokenBudget } = this.#world.settings;
    const budget = contextTokens - Math.min(1_024, Math.floor(contextTokens / 4));
    const share = Math.floor(budget / 4);
    const blocks = plan.layout.filter(({ kind }) => kind === 'block');
    const blockTokens = blocks.reduce((sum, { tokens }) => sum + tokens, 0);
    promise(blockTokens <= share, 'blocks take a quarter at most');
    promise(
      plan.blockTokens <= Math.min(tokenBudget, Math.floor(share / 3)),
      'a new block takes a third of it at most',
    );
    promise(blocks.reduce((sum, { items }) => sum + items.length, 0) <= 100, 'blocks hold 100 items at most');
    promise(plan.tokens <= budget, `it leaves room for the reply: ${plan.tokens} of ${budget}`);
    const turns = new Set(plan.layout.flatMap(({ turn }) => (turn === null ? [] : [turn])));
    const messages = plan.layout.filter(({ kind }) => kind === 'message').length;
    promise(messages <= 20 || turns.size <= 4, 'it holds 20 messages at most');
    const place = this.#turns.indexOf(asked);
    for (const { number } of this.#turns.slice(Math.max(0, place - 3), place + 1))
      promise(turns.has(number), 'the last three turns never leave');
    promise(
      [...turns].every((number) => this.#turns.some((turn) => turn.number === number)),
      'nothing of another branch is sent',
    );
  }

  /** No stretch of an item stands in the blocks twice. */
  #checkSpans(turn: AskedTurn, quoted: readonly QuotedItem[]): void {
    const rows = quoted.map(({ number }) => this.#rowByNumber(number, turn));
    for (const [place, row] of rows.entries()) {
      for (const other of rows.slice(0, place)) {
        if (!row || !other || row.text_key !== other.text_key) continue;
        promise(
          row.span_start >= other.span_end || other.span_start >= row.span_end,
          `no stretch stands there twice: ${JSON.stringify([row, other])} ${JSON.stringify(this.#world.settings)}`,
        );
        this.counts.otherParts += 1;
      }
    }
  }

  /** Each verdict names something that is in the bytes, and nothing that answers is held back without a reason. */
  #checkVerdicts(turn: AskedTurn, { plan, retrieval }: PlannedTurn): void {
    const { minScore, dedupThreshold, semanticBuffer } = this.#world.settings;
    const textOf = (number: number) =>
      plan.messages
        .filter((_, place) => plan.layout[place]?.turn === number)
        .map(({ content }) => content)
        .join('\n');
    const entries = plan.layout.filter(
      ({ turn: number, kind }) => number !== turn.number && kind !== 'summaries',
    );
    const told = plan.layout.flatMap(({ kind, items }) => (kind === 'summaries' ? items : []));
    for (const candidate of retrieval?.candidates ?? []) {
      const { verdict, reason, score, id } = candidate;
      const finding = this.#world.found.find(({ result }) => result.id === id);
      if (verdict === 'injected')
        this.#checkNovelty(turn, candidate, entries.slice(-semanticBuffer || entries.length));
      else if (score >= minScore) promise(NAMED_REASONS.has(reason.code), `${reason.code} is a reason`);
      if (verdict !== 'injected' && score >= minScore) this.counts.heldBack += 1;
      const { turn: number, item, similarity } = reason.figures;
      if (reason.code === 'in-prompt') {
        const excerpt = finding?.text.slice(finding.span.start, finding.span.end) ?? '';
        promise(sharesStretch(textOf(Number(number)), excerpt), `turn ${number} holds what is held back`);
      } else if (reason.code === 'like-prompt') {
        const there = entries.some(
          (entry) =>
            entry.turn === number && (entry.turnId === item || entry.items.some((one) => one.id === item)),
        );
        promise(there || told.some(({ id: one }) => one === item), 'what it is like is in the prompt');
        promise(Number(similarity) >= Number(dedupThreshold.toFixed(2)), 'it is as similar as it says');
      }
    }
  }

  /** Nothing is added that says the same as something that was there. */
  #checkNovelty(
    turn: AskedTurn,
    candidate: Candidate,
    entries: readonly { items: { id: string; number: number }[] }[],
  ): void {
    const world = this.#world;
    if (world.settings.semanticBuffer < 100) return;
    const similarity = similarityOn(SCALE);
    const own = world.vectorOf(candidate.kind, candidate.id);
    const key = sha256(world.items.find(({ id }) => id === candidate.id)?.text ?? '');
    for (const { items } of entries) {
      for (const { id, number } of items) {
        const row = this.#rowByNumber(number, turn);
        const other = row && world.vectorOf(row.kind, id);
        if (!own || !row || !other || row.text_key === key) continue;
        const value = similarity(dot(own, other));
        const differs = world.particularity.differs(candidate.excerpt, row.excerpt);
        promise(
          value <= world.settings.dedupThreshold || differs,
          `nothing is added that is ${value.toFixed(2)} like what is there`,
        );
      }
    }
  }

  /** What must stay on this computer is not in the bytes. */
  #checkWithheld(turn: AskedTurn, { plan }: PlannedTurn, maySend: ReadonlySet<string>): void {
    const all = plan.messages.map(({ content }) => content).join('\n');
    for (const { kind, items, withheld } of plan.layout) {
      if (withheld) this.counts.withheld += 1;
      if (kind !== 'block') continue;
      for (const { number } of items) {
        const row = this.#rowByNumber(number, turn);
        promise(
          row !== undefined && sourcesOf([row]).every((source) => maySend.has(source)),
          'a block holds nothing that must stay here',
        );
      }
    }
    const replies = this.#world.db.all<{ content: string; made_from: string; turn_id: string }>(
      `SELECT m.content, p.made_from, m.turn_id FROM turns t JOIN messages m ON m.turn_id = t.id AND m.version = t.active_version
       JOIN prompts p ON p.turn_id = m.turn_id AND p.version = m.version
       WHERE t.conversation_id = ? AND t.active = 1 AND m.content <> '' AND t.ordinal < ?`,
      this.#world.conversationId,
      turn.number,
    );
    for (const { content, made_from: madeFrom, turn_id: id } of replies) {
      const isFree = (JSON.parse(madeFrom) as string[]).every((source) => maySend.has(source));
      if (!isFree) promise(!all.includes(content), `the reply of ${id} stays here`);
    }
    if (plan.layout.some(({ withheld }) => withheld)) {
      promise(
        Object.values(WITHHELD_REPLY).some((line) => all.includes(line)),
        'a line says that a reply stays here',
      );
    }
  }

  #row(turnId: TurnId, number: number) {
    return this.#world.db.get<{ item_id: string; excerpt: string }>(
      `SELECT i.item_id, i.excerpt FROM context_items i JOIN turns t ON t.id = i.turn_id AND t.active_version = i.version
       WHERE i.turn_id = ? AND i.ordinal = ?`,
      turnId,
      number,
    );
  }

  #rowByNumber(number: number, turn: AskedTurn) {
    return this.#world.db.get<{
      kind: ItemKind;
      excerpt: string;
      text_key: string;
      span_start: number;
      span_end: number;
    }>(
      `SELECT i.kind, i.excerpt, i.text_key, i.span_start, i.span_end FROM context_items i JOIN turns t ON t.id = i.turn_id
       WHERE t.conversation_id = ? AND t.active = 1 AND i.ordinal = ? AND t.active_version = i.version AND t.ordinal <= ?`,
      this.#world.conversationId,
      number,
      turn.number,
    );
  }

  #storedText(turnId: TurnId): string | undefined {
    return this.#world.db.get<{ text: string }>(
      `SELECT b.text FROM context_blocks b JOIN turns t ON t.id = b.turn_id AND t.active_version = b.version WHERE b.turn_id = ?`,
      turnId,
    )?.text;
  }
}

/** Does a text hold a stretch of an excerpt, half of a sentence at least? */
function sharesStretch(text: string, excerpt: string): boolean {
  const least = Math.min(20, excerpt.length);
  for (let at = 0; at + least <= excerpt.length; at += 1) {
    if (text.includes(excerpt.slice(at, at + least))) return true;
  }
  return false;
}

function promise(holds: boolean, what: string): void {
  if (!holds) throw new Error(`broken: ${what}`);
}
