import type { Summary } from '../../src/shared/contract/summaries.ts';
import type { Act } from './act.ts';
import { NotDone } from './doneAlready.ts';
import { same } from './same.ts';
import type { World } from './world.ts';
import {
  conversationsInUse,
  type ModelConversation,
  type ModelTurn,
  pathOf,
  textOfTurn,
  wordsOf,
} from './worldModel.ts';

/** Words that summaries are searched by at each comparison. */
const WORDS_SEARCHED = 6;

/** What a run does with summaries. */
export function summaryActs(world: World): Act[] {
  const acts = new SummaryActs(world);
  return [
    { name: 'summarise', weight: 1, run: () => acts.summarise() },
    { name: 'correct a summary', weight: 2, run: () => acts.correct() },
    { name: 'make a summary anew', weight: 0.7, run: () => acts.regenerate() },
    { name: 'remove a summary', weight: 0.7, run: () => acts.remove() },
    { name: 'have a removed summary made again', weight: 0.7, run: () => acts.restore() },
    { name: 'forget a summary', weight: 1, run: () => acts.forget() },
  ];
}

class SummaryActs {
  readonly #world: World;
  /** The summary that was picked last, and the dice after that: what a kill overtakes is looked at again. */
  #picked: { summary: Summary; dice: number } | null = null;

  constructor(world: World) {
    this.#world = world;
  }

  async summarise(): Promise<string | null> {
    return (await this.#world.summarise()) ? '' : null;
  }

  async correct(): Promise<string | null> {
    const summary = await this.#pick();
    if (!summary) return null;
    const { client, state } = this.#world;
    const corrected = await client.summaries.correct({ id: summary.id, text: this.#world.text() });
    const { id, text, updatedAt } = corrected;
    if (summary.level > 1) state.high.set(id, text);
    else this.#turnOf(summary).summary = { id, text, at: updatedAt };
    return `${summary.text} → ${text}`;
  }

  async regenerate(): Promise<string | null> {
    const summary = await this.#pick();
    if (!summary) return null;
    const { client } = this.#world;
    const { madeBy } = await client.summaries.regenerate({ id: summary.id });
    same('who made a summary anew', madeBy, 'rules');
    this.#isDerived(summary);
    return summary.text;
  }

  async remove(): Promise<string | null> {
    const summary = await this.#pick();
    if (!summary) return null;
    const { client, now } = this.#world;
    await client.summaries.remove({ id: summary.id });
    this.#isDerived(summary);
    if (summary.level === 1) this.#turnOf(summary).summary = { id: summary.id, text: null, at: now };
    return summary.text;
  }

  async restore(): Promise<string | null> {
    const { dice, client, state } = this.#world;
    const turns = conversationsInUse(state)
      .flatMap(({ turns: all }) => all)
      .filter(({ summary }) => summary?.text === null);
    if (turns.length === 0) return null;
    const turn = dice.pick(turns);
    await client.summaries.restore({ id: turn.summary?.id as string });
    turn.summary = undefined;
    return turn.messages[0]?.content ?? '';
  }

  /** For good, or so that an old copy or export could bring it back. */
  async forget(): Promise<string | null> {
    const { dice, client, state } = this.#world;
    const own = conversationsInUse(state)
      .flatMap(({ turns }) => turns)
      .filter(({ summary }) => summary?.text);
    if (own.length === 0 || !(await this.#world.summarise())) return null;
    const turn = dice.pick(own);
    const { id, text } = turn.summary as NonNullable<ModelTurn['summary']>;
    const now = dice.chance(0.5);
    const { at, forgotten } = await client.forget.apply({ ticked: { summaries: [id] }, now });
    same(`how many summaries are forgotten of "${text}"`, forgotten, 1);
    turn.summary = undefined;
    state.forgottenSummaries.set(id, at);
    return `${text}${now ? ', now' : ''}`;
  }

  /** A summary of a conversation that is shown. */
  async #pick(): Promise<Summary | null> {
    const { dice, client, state, standIn } = this.#world;
    if (standIn) {
      if (!this.#picked) throw new NotDone('no summary was picked');
      dice.state = this.#picked.dice;
      return this.#picked.summary;
    }
    this.#picked = null;
    const conversations = conversationsInUse(state).filter(({ turns }) => turns.length > 0);
    if (conversations.length === 0 || !(await this.#world.summarise())) return null;
    const all = await client.summaries.list({ conversationId: dice.pick(conversations).id });
    const high = all.filter(({ level }) => level > 1);
    if (all.length === 0) return null;
    const summary = dice.pick(high.length > 0 && dice.chance(0.4) ? high : all);
    this.#picked = { summary, dice: dice.state };
    return summary;
  }

  #isDerived({ id, level, turns }: Summary): void {
    this.#world.state.high.delete(id);
    if (level === 1) this.#turnOf({ turns }).summary = undefined;
  }

  #turnOf({ turns }: Pick<Summary, 'turns'>): ModelTurn {
    const found = this.#world.state.conversations
      .flatMap((one) => one.turns)
      .find(({ id }) => id === turns[0]?.id);
    if (!found) throw new Error('a summary of no turn');
    return found;
  }
}

/** Summaries of summaries of all conversations in use. */
export async function highSummaries({ client, state }: World): Promise<Summary[]> {
  const all: Summary[] = [];
  for (const { id } of conversationsInUse(state))
    all.push(...(await client.summaries.list({ conversationId: id })).filter(({ level }) => level > 1));
  return all;
}

/** Each turn that is shown has its summary, which says nothing else, and each stands once among those that were not rolled up. */
export async function compareSummaries(world: World): Promise<void> {
  if (!(await world.summarise())) return;
  const { client, dice, state } = world;
  const all: Summary[] = [];
  for (const conversation of conversationsInUse(state)) {
    const summaries = await client.summaries.list({ conversationId: conversation.id });
    compareOf(conversation, summaries);
    for (const { id, madeBy, text } of summaries.filter(({ level }) => level > 1)) {
      if (madeBy === 'user') same('a summary of summaries that the user worded', text, state.high.get(id));
      else state.high.delete(id);
    }
    all.push(...summaries);
  }
  const ids = new Set(all.map(({ id }) => id));
  for (const id of state.high.keys()) if (!ids.has(id)) state.high.delete(id);
  const told = all.flatMap((one) => wordsOf(wordingOf(one)));
  const words = [...dice.some(told, WORDS_SEARCHED), world.words === 0 ? 'zq000001' : world.anyWord()];
  for (const word of new Set(words)) {
    const { results } = await client.retrieval.search({
      text: word,
      mode: 'text',
      levels: [1, 2],
      limit: 200,
    });
    same(
      `summaries that are found by ${word}`,
      results.map(({ id }) => id).sort(),
      all
        .filter((one) => wordsOf(wordingOf(one)).includes(word))
        .map(({ id }) => id)
        .sort(),
    );
  }
}

function compareOf(conversation: ModelConversation, summaries: readonly Summary[]): void {
  const telling = pathOf(conversation).filter((turn) => textOfTurn(turn).trim() !== '');
  const first = new Map(
    summaries.flatMap((summary) => (summary.level === 1 ? [[summary.turns[0]?.id, summary] as const] : [])),
  );
  same(
    `turns of "${conversation.title}" that are summarised`,
    telling.filter(({ id }) => first.has(id)).map(({ id }) => id),
    telling.filter(({ summary }) => summary?.text !== null).map(({ id }) => id),
  );
  same('how many summaries turns have', summaries.filter(({ level }) => level === 1).length, first.size);
  for (const turn of telling) {
    const found = first.get(turn.id);
    if (!found) continue;
    const { summary } = turn;
    same('who made a summary', found.madeBy, summary ? 'user' : 'rules');
    if (summary) same('a summary that the user worded', [found.id, found.text], [summary.id, summary.text]);
    else same('words of a summary that its turn does not say', foreign(found, textOfTurn(turn)), []);
  }
  const known = new Map(summaries.map((one) => [one.id, one]));
  for (const summary of summaries.filter(({ level, madeBy }) => level > 1 && madeBy !== 'user')) {
    const children = summary.childIds.flatMap((id) => known.get(id) ?? []);
    const said = children.map(wordingOf).join(' ');
    same('words of a summary that those below it do not say', foreign(summary, said), []);
  }
  const tops = summaries.filter(({ parentId }) => parentId === null);
  const told = tops.flatMap(({ turns }) => turns.map(({ id }) => id));
  same('turns that are told of twice', told.length, new Set(told).size);
}

const wordingOf = ({ text, findings, topics }: Summary): string => [text, ...findings, ...topics].join('\n');

function foreign(summary: Summary, said: string): string[] {
  const words = new Set(wordsOf(said));
  const { files, tools } = summary;
  return wordsOf([wordingOf(summary), ...files, ...tools].join(' ')).filter((word) => !words.has(word));
}
