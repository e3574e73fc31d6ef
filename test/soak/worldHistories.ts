import { derivedId } from '../../src/core/support/ids.ts';
import type { ImportReport } from '../../src/shared/contract/chat.ts';
import type { ConversationId, TurnId } from '../../src/shared/ids.ts';
import { chatGptTree, type Said } from '../support/histories.ts';
import type { Act } from './act.ts';
import { importTurn } from './modelTurns.ts';
import { same } from './same.ts';
import type { World } from './world.ts';
import type { ModelHistory, ModelHistoryTurn, ModelMessage, ModelState } from './worldModel.ts';

const MANY = 4;
const MANY_TURNS = 16;

/** What a run does with data exports of another program, which have branches and tools, and which are imported in the background. */
export function historyActs(world: World): Act[] {
  const acts = new HistoryActs(world);
  return [
    { name: 'import a history', weight: 1, run: () => acts.importNew() },
    { name: 'import a history again', weight: 1.5, run: () => acts.importAgain() },
  ];
}

class HistoryActs {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  async importNew(): Promise<string | null> {
    const { dice, state } = this.#world;
    const { histories } = state;
    if (histories.length >= MANY) return null;
    const history: ModelHistory = {
      source: `history-${this.#world.word()}`,
      title: `Histoire ${this.#world.word()}`,
      turns: [],
      current: 0,
    };
    histories.push(history);
    this.#grow(history, dice.between(1, 6));
    return this.#import(history);
  }

  /** The same history, or one that has grown meanwhile, on any branch. */
  async importAgain(): Promise<string | null> {
    const { dice, state } = this.#world;
    if (state.histories.length === 0) return null;
    const history = dice.pick(state.histories);
    if (dice.chance(0.6) && history.turns.length < MANY_TURNS) this.#grow(history, dice.between(1, 4));
    return this.#import(history);
  }

  #grow(history: ModelHistory, count: number): void {
    const { dice } = this.#world;
    const { turns } = history;
    for (let left = count; left > 0; left -= 1) {
      const last = turns.length - 1;
      const asked = turns[dice.between(0, Math.max(0, last))];
      if (asked && dice.chance(0.3)) turns.push({ ...asked, rest: this.#reply() });
      else {
        const after = last < 0 || dice.chance(0.1) ? null : dice.pick([last, dice.between(0, last)]);
        turns.push({ after, question: this.#said('user'), rest: this.#reply() });
      }
    }
    history.current = dice.chance(0.7) ? turns.length - 1 : dice.between(0, turns.length - 1);
  }

  #reply(): Said[] {
    const { dice } = this.#world;
    const tools = dice.chance(0.3)
      ? [
          { ...this.#said('assistant'), tool: 'python' },
          { ...this.#said('tool'), tool: 'python' },
        ]
      : [];
    return [...tools, this.#said('assistant')];
  }

  #said(role: Said['role']): Said {
    // Its id stands nowhere else, in a history of an older backup either.
    return { id: `m-${this.#world.word()}`, after: null, role, text: this.#world.text() };
  }

  async #import(history: ModelHistory): Promise<string> {
    const { client, standIn, state } = this.#world;
    // A kill during an import is one that is over after the next start.
    if (standIn) {
      importInto(state, history);
      return history.title;
    }
    const { id } = await client.imports.begin({
      files: [{ name: 'conversations.json', modifiedAt: this.#world.now }],
    });
    await client.imports.append({ id, file: 0, from: 0, text: JSON.stringify([fileOf(history)]) });
    const expected = importInto(structuredClone(state), history);
    const preview = await client.imports.preview({ id });
    same(
      'preview of an import',
      { messages: preview.messages, known: preview.known, deleted: preview.deleted },
      {
        messages: expected.messages + expected.unchanged,
        known: expected.unchanged,
        deleted: expected.restored,
      },
    );
    await client.imports.start({ id });
    await this.#world.settle();
    importInto(state, history);
    const { imports } = await client.imports.list();
    const done = imports.find((one) => one.id === id);
    same('an import', [done?.state, done?.problems], ['done', []]);
    same('report of an import', done?.counts, { ...expected, facts: 0 });
    await client.imports.cancel({ id });
    return `${history.title} ${JSON.stringify(expected)}`;
  }
}

/** Imports into the model. */
function importInto(state: ModelState, history: ModelHistory): ImportReport {
  const report = { conversations: 0, restored: 0, turns: 0, messages: 0, unchanged: 0, forgotten: 0 };
  const said = messagesOf(history);
  const dateOf = (message: Said) => START + said.indexOf(message) * MINUTE;
  const id = conversationOf(history);
  let known = state.conversations.find((one) => one.id === id);
  if (!known) {
    const { title } = history;
    const fresh = { titles: [title], pinned: false, archived: false, removedAt: null, turns: [] };
    known = { id, channel: 'import', title, ...fresh, createdAt: START, updatedAt: START };
    state.conversations.push(known);
    report.conversations += 1;
  } else if (known.removedAt !== null) {
    known.removedAt = null;
    report.restored += 1;
  }
  const { turns, current } = history;
  const path = new Set<ModelHistoryTurn>();
  for (let turn = turns[current]; turn; turn = turn.after === null ? undefined : turns[turn.after])
    path.add(turn);
  for (const [index, turn] of turns.entries()) {
    const count = turn.rest.length + (isFirst(history, turn) ? 1 : 0);
    const turnId = idOf(history, turn);
    if (known.turns.some((one) => one.id === turnId)) {
      report.unchanged += count;
      continue;
    }
    report.turns += 1;
    report.messages += count;
    const before = turn.after === null ? undefined : turns[turn.after];
    const beforeId = before && idOf(history, before);
    importTurn(known, {
      id: turnId,
      createdAt: dateOf(turn.question),
      messages: [turn.question, ...turn.rest].map(toModel),
      before: known.turns.find((one) => one.id === beforeId) ?? null,
      isShown: path.has(turn),
      isLast: index === current,
    });
  }
  known.updatedAt = Math.max(known.updatedAt, START + (said.length - 1) * MINUTE);
  return report;
}

const MINUTE = 60_000;
/** The date of the first message of a made-up history. */
const START = Date.UTC(2024, 0, 5, 9);

/** Every message once, in the order in which they were said. */
function messagesOf({ turns }: ModelHistory): Said[] {
  return [...new Set(turns.flatMap(({ question, rest }) => [question, ...rest]))];
}

function fileOf(history: ModelHistory) {
  const { turns, current, source, title } = history;
  const after = new Map<Said, string | null>();
  for (const { after: before, question, rest } of turns) {
    after.set(question, before === null ? null : (turns[before]?.rest.at(-1)?.id ?? null));
    for (const [place, one] of rest.entries()) after.set(one, (rest[place - 1] ?? question).id);
  }
  const said = messagesOf(history).map((one) => ({ ...one, after: after.get(one) ?? null }));
  return chatGptTree(source, title, said, turns[current]?.rest.at(-1)?.id);
}

/** Is a turn the first one with its question? The others are later versions of its reply. */
const isFirst = ({ turns }: ModelHistory, turn: ModelHistoryTurn): boolean =>
  turns.find(({ question }) => question === turn.question) === turn;

const conversationOf = ({ source }: ModelHistory): ConversationId =>
  derivedId('conv', 'chatgpt', source) as ConversationId;

/** The id of a turn follows from that of its question, or from what it has of its own. */
function idOf(history: ModelHistory, turn: ModelHistoryTurn): TurnId {
  const own = isFirst(history, turn) ? turn.question : turn.rest[0];
  const conversation = conversationOf(history);
  const message = derivedId('msg', conversation, `${history.source}-${own?.id}`);
  return derivedId('turn', conversation, message) as TurnId;
}

const toModel = ({ id, role, text, tool }: Said): ModelMessage =>
  tool === undefined
    ? { id, role, content: text }
    : { id, role: 'tool', content: role === 'tool' ? text : `\`\`\`\n${text}\n\`\`\`` };
