import type { ReplyVersion, TurnEvent } from '../../src/shared/contract/chat.ts';
import type { AttachmentId, ConversationId } from '../../src/shared/ids.ts';
import type { Behaviour } from '../fakes/openAiServer.ts';
import type { Act } from './act.ts';
import { bringBack } from './modelTurns.ts';
import { same } from './same.ts';
import type { World } from './world.ts';
import { learn, messageOf, type Statement } from './worldFacts.ts';
import { historyActs } from './worldHistories.ts';
import { importActs } from './worldImport.ts';
import {
  besides,
  conversationsInUse,
  endOf,
  isFactInUse,
  type ModelAttachment,
  type ModelConversation,
  type ModelReply,
  type ModelTurn,
  saidIn,
  show,
  showVersion,
  summaryWords,
  whereFound,
  wordsOf,
} from './worldModel.ts';

const CHANNELS = ['chat', 'Travail', 'Santé'];
/** Summaries of more than ten turns are rolled up. */
const MANY_TURNS = 14;
const MANY_CONVERSATIONS = 14;
/** Within this time a message joins the turn before, if that has not been answered yet. */
const COALESCE_MS = 600;
const NO_REPLY: ModelReply = { state: 'complete', content: '' };

/** What a run does with conversations. */
export function chatActs(world: World): Act[] {
  const acts = new ChatActs(world);
  return [
    { name: 'ask', weight: 8, run: () => acts.ask() },
    { name: 'send several at once', weight: 1.5, run: () => acts.burst() },
    { name: 'stop a reply', weight: 1, run: () => acts.cutShort('stop') },
    { name: 'delete while it replies', weight: 0.5, run: () => acts.cutShort('remove') },
    { name: 'close while it replies', weight: 0.1, run: () => acts.cutShort('close') },
    { name: 'answer again', weight: 2, run: () => acts.regenerate() },
    { name: 'choose a version', weight: 2, run: () => acts.choose() },
    { name: 'edit a message', weight: 2, run: () => acts.edit() },
    { name: 'show another branch', weight: 2, run: () => acts.showBranch() },
    { name: 'change a conversation', weight: 4, run: () => acts.change() },
    { name: 'delete a conversation', weight: 3, run: () => acts.remove() },
    { name: 'bring a conversation back', weight: 2, run: () => acts.restore() },
    ...importActs(world),
    ...historyActs(world),
  ];
}

class ChatActs {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  async ask(): Promise<string | null> {
    const { dice, client, server } = this.#world;
    const place = this.#place();
    if (!place) return null;
    const said = messageOf(this.#world);
    const { behaviour, reply } = this.#reply();
    const files = dice.chance(0.15) ? this.#files() : [];
    server.behave(behaviour);
    const attachments = await this.#attach(files);
    const events = await client.chat.runTurn({ text: said.text, ...place.input, ...attachments });
    const first = await accepted(events);
    const turn = this.#add(place, said, first);
    turn.attached = files;
    if (dice.chance(0.05)) {
      // Nobody listens: the turn is answered all the same.
      await events.return(undefined);
      await this.#ended(turn);
    } else await end(events);
    turn.replies = [reply];
    await this.#learnIds(turn);
    this.checkPrompts(place.conversation);
    return `${said.text} → ${reply.state} ${reply.content}`;
  }

  /** Messages that come while the first is not answered yet: soon after it they join it, later ones form the next turn. */
  async burst(): Promise<string | null> {
    const { dice, client, server } = this.#world;
    const place = this.#place();
    if (!place || !this.#hasServer()) return null;
    const reply = { state: 'complete', content: `Réponse ${this.#world.word()}.` };
    const gate = Promise.withResolvers<void>();
    server.behave({ kind: 'held', text: reply.content, until: gate.promise });
    const streams: Promise<void>[] = [];
    const turns: ModelTurn[] = [];
    let startedAt = this.#world.now;
    const known = whereFound(this.#world.state, startedAt);
    for (let left = dice.between(2, 4), first = true; left > 0; left -= 1, first = false) {
      const said = messageOf(this.#world);
      const waits = dice.pick([0, COALESCE_MS - 1, COALESCE_MS + 1]);
      const asked = server.prompts.length;
      if (!first) await this.#world.pass(waits);
      const input = first ? place.input : { conversationId: place.conversation.id };
      const events = await client.chat.runTurn({ text: said.text, ...input });
      const joins = !first && (turns.length > 1 || this.#world.now - startedAt < COALESCE_MS);
      const { turn: shown, conversationId } = await accepted(events);
      if (joins) this.#join(turns.at(-1) as ModelTurn, place.conversation, said);
      else turns.push(this.#add(place, said, { turn: shown, conversationId }));
      streams.push(end(events));
      // The core asks the server anew when the question of the first turn has grown; a turn that waits asks nothing yet.
      if (turns.length === 1) await until(() => server.prompts.length > asked);
      if (first) startedAt = this.#world.now;
    }
    gate.resolve();
    await Promise.all(streams);
    for (const turn of turns) {
      turn.replies = [{ ...reply }];
      await this.#learnIds(turn);
    }
    this.checkPrompts(place.conversation, known);
    return turns.map((turn) => turn.messages.map(({ content }) => content).join(' + ')).join(' | ');
  }

  /** A reply that has begun and would not end by itself. */
  async cutShort(how: 'stop' | 'remove' | 'close'): Promise<string | null> {
    const { client, server } = this.#world;
    const place = this.#place();
    if (!place || !this.#hasServer()) return null;
    const said = messageOf(this.#world);
    const content = `Je commence ${this.#world.word()}`;
    server.behave({ kind: 'hang', text: content });
    const events = await client.chat.runTurn({ text: said.text, ...place.input });
    const turn = this.#add(place, said, await accepted(events));
    let come = '';
    while (come !== content) {
      const { value, done } = await events.next();
      if (done) throw new Error('the reply ended by itself');
      if (value.type === 'text') come += value.delta;
    }
    const ending = end(events);
    if (how === 'stop') await client.chat.stop({ turnId: turn.id });
    else if (how === 'remove') {
      await client.chat.remove({ id: place.conversation.id });
      place.conversation.removedAt = this.#world.now;
    } else {
      await this.#world.close();
      await this.#world.open();
    }
    await ending;
    turn.replies = [{ state: how === 'close' ? 'interrupted' : 'stopped', content }];
    await this.#learnIds(turn);
    this.checkPrompts(place.conversation);
    return said.text;
  }

  async regenerate(): Promise<string | null> {
    const { dice, client, server, state } = this.#world;
    const turns = conversationsInUse(state).flatMap((conversation) =>
      conversation.turns.map((turn) => ({ conversation, turn })),
    );
    if (turns.length === 0) return null;
    const { conversation, turn } = dice.pick(turns);
    const { behaviour, reply } = this.#reply();
    server.behave(behaviour);
    await end(await client.chat.regenerate({ turnId: turn.id }));
    show(conversation, turn);
    turn.replies.push(reply);
    turn.summary = undefined;
    showVersion(turn, turn.replies.length);
    this.checkPrompts(conversation);
    return `${turn.messages[0]?.content} → ${reply.content}`;
  }

  async choose(): Promise<string | null> {
    const { dice, client, state } = this.#world;
    const turns = conversationsInUse(state).flatMap((conversation) =>
      conversation.turns.map((turn) => ({ conversation, turn })),
    );
    const several = turns.filter(({ turn: { replies } }) => replies.length > 1);
    if (several.length === 0) return null;
    const { conversation, turn } = dice.pick(several);
    const version = dice.between(1, turn.replies.length);
    await client.chat.chooseVersion({ turnId: turn.id, version });
    show(conversation, turn);
    showVersion(turn, version);
    return `${turn.messages[0]?.content}: ${turn.active}`;
  }

  /** Says something else in place of a turn. What becomes of facts that a turn taught is a test of its own. */
  async edit(): Promise<string | null> {
    const { dice, client, server, state, now } = this.#world;
    const open = conversationsInUse(state).filter(({ turns }) => turns.length < MANY_TURNS);
    const turns = open.flatMap((conversation) =>
      conversation.turns
        .filter((turn) => !state.facts.some(({ turn: taughtBy }) => taughtBy === turn))
        .map((turn) => ({ conversation, turn })),
    );
    if (turns.length === 0) return null;
    const { conversation, turn } = dice.pick(turns);
    const text = `Où est ${this.#world.text().slice(0, -1)} ?`;
    const { behaviour, reply } = this.#reply();
    server.behave(behaviour);
    const events = await client.chat.edit({ turnId: turn.id, text });
    const { id } = (await accepted(events)).turn;
    const highest = Math.max(...besides(conversation, turn).map(({ picked }) => picked));
    const edited: ModelTurn = {
      id,
      createdAt: now,
      messages: [],
      replies: [reply],
      active: 1,
      after: turn.after,
      picked: highest + 1,
      attached: turn.attached,
    };
    conversation.turns.push(edited);
    show(conversation, edited);
    this.#join(edited, conversation, { text, taught: null });
    await end(events);
    this.checkPrompts(conversation);
    return `${turn.messages[0]?.content} → ${text}`;
  }

  async showBranch(): Promise<string | null> {
    const { dice, client, state } = this.#world;
    const turns = conversationsInUse(state).flatMap((conversation) =>
      conversation.turns
        .filter((turn) => besides(conversation, turn).length > 1)
        .map((turn) => ({ conversation, turn })),
    );
    if (turns.length === 0) return null;
    const { conversation, turn } = dice.pick(turns);
    await client.chat.showBranch({ turnId: turn.id });
    show(conversation, turn);
    return turn.messages[0]?.content ?? '';
  }

  async change(): Promise<string | null> {
    const { dice, client, state } = this.#world;
    const conversations = conversationsInUse(state);
    if (conversations.length === 0) return null;
    const conversation = dice.pick(conversations);
    const change = {
      ...(dice.chance(0.4) ? { title: `Titre ${this.#world.word()}` } : {}),
      ...(dice.chance(0.3) ? { channel: dice.pick(CHANNELS) } : {}),
      ...(dice.chance(0.4) ? { pinned: !conversation.pinned } : {}),
      ...(dice.chance(0.3) ? { archived: !conversation.archived } : {}),
    };
    await client.chat.change({ id: conversation.id, ...change });
    Object.assign(conversation, change);
    // What its turns taught belongs to the channel that it is in.
    const { turns, channel } = conversation;
    for (const fact of state.facts) if (fact.turn && turns.includes(fact.turn)) fact.channel = channel;
    if (change.title) conversation.titles.push(change.title);
    return `${conversation.title} ${JSON.stringify(change)}`;
  }

  async remove(): Promise<string | null> {
    const { dice, client, state, now } = this.#world;
    const conversations = conversationsInUse(state);
    if (conversations.length === 0) return null;
    const conversation = dice.pick(conversations);
    const { facts } = await client.chat.remove({ id: conversation.id });
    conversation.removedAt = now;
    const left = state.facts.filter(
      (fact) => isFactInUse(fact, now) && fact.turn && conversation.turns.includes(fact.turn),
    );
    same('facts of a deleted conversation', [...facts].sort(), left.map(({ id }) => id).sort());
    return conversation.title;
  }

  async restore(): Promise<string | null> {
    const { dice, client, state } = this.#world;
    const removed = state.conversations.filter(({ removedAt }) => removedAt !== null);
    if (removed.length === 0) return null;
    const conversation = dice.pick(removed);
    await client.chat.restore({ id: conversation.id });
    bringBack(state, conversation);
    return conversation.title;
  }

  /**
   * No prompt holds a word of what is no longer in use, unless it was said in the conversation itself.
   * @param before words that were in use when the first of the prompts was made
   */
  checkPrompts(conversation: ModelConversation, before?: ReadonlyMap<string, Set<string>>): void {
    const { server, state, now } = this.#world;
    const known = new Map([...(before ?? []), ...whereFound(state, now)]);
    for (const other of [...conversationsInUse(state), conversation])
      for (const word of saidIn(other)) known.set(word, new Set());
    for (const word of summaryWords(state)) known.set(word, new Set());
    for (const { messages } of server.prompts.splice(0)) {
      const dead = messages.flatMap(({ content }) => wordsOf(content)).filter((word) => !known.has(word));
      same('words in a prompt that are no longer in use', dead, []);
    }
  }

  #hasServer(): boolean {
    return (this.#world.state.settings.get('chat.baseUrl') ?? '') !== '';
  }

  /** How the server answers next, and what becomes of the reply. */
  #reply(): { behaviour: Behaviour; reply: ModelReply } {
    const { dice } = this.#world;
    const content = `Réponse ${this.#world.word()}.`;
    const chance = dice.random();
    if (!this.#hasServer()) return { behaviour: { kind: 'reply', text: '' }, reply: { ...NO_REPLY } };
    if (chance < 0.06)
      return { behaviour: { kind: 'status', status: 500 }, reply: { state: 'failed', content: '' } };
    if (chance < 0.12) {
      const thoughts = `Voyons ${this.#world.word()}`;
      return {
        behaviour: { kind: 'think', thoughts, text: content, as: 'field' },
        reply: { state: 'complete', content, thoughts },
      };
    }
    if (chance < 0.3) return this.#replyWithTools(content);
    return { behaviour: { kind: 'reply', text: content }, reply: { state: 'complete', content } };
  }

  /** A reply that asks tools first, of which some find what is in use and quote it. */
  #replyWithTools(content: string): { behaviour: Behaviour; reply: ModelReply } {
    const { dice } = this.#world;
    const rounds = Array.from({ length: dice.between(1, 2) }, () =>
      Array.from({ length: dice.between(1, 2) }, () => {
        const query = this.#world.anyWord();
        return dice.pick([
          { name: 'search_memories', arguments: JSON.stringify({ query }) },
          { name: 'search_text', arguments: JSON.stringify({ query }) },
          { name: 'search_notes', arguments: JSON.stringify({ query }) },
          { name: 'get_recent_memories', arguments: JSON.stringify({ limit: 3 }) },
          { name: 'read_note', arguments: JSON.stringify({ path: 'Accueil.md' }) },
          { name: 'unknown', arguments: JSON.stringify({ query }) },
          { name: 'search_text', arguments: `{"query": "${query}` },
        ]);
      }),
    );
    return {
      behaviour: { kind: 'script', steps: [...rounds.map((calls) => ({ calls })), { text: content }] },
      reply: { state: 'complete', content, asked: rounds.flat().map((call) => call.arguments) },
    };
  }

  /** Files to send with a message. */
  #files(): ModelAttachment[] {
    const { dice } = this.#world;
    return Array.from({ length: dice.between(1, 2) }, () => {
      const text = `# Pièce\n\n${this.#world.text()}\n\n## Suite\n\n${this.#world.text()}\n`;
      return { name: `Pièce ${this.#world.words}.md`, text };
    });
  }

  async #attach(files: readonly ModelAttachment[]): Promise<{ attachments?: AttachmentId[] }> {
    const { client, standIn } = this.#world;
    // What stands in for the core finds the message by its words.
    if (standIn || files.length === 0) return {};
    const attachments: AttachmentId[] = [];
    for (const { name, text } of files) {
      const { id } = await client.attachments.read({ name, data: Buffer.from(text).toString('base64') });
      attachments.push(id);
    }
    return { attachments };
  }

  /** A conversation that goes on, or a new one. */
  #place(): Place | null {
    const { dice, state, now } = this.#world;
    const open = conversationsInUse(state).filter(({ turns }) => turns.length < MANY_TURNS);
    if (open.length > 0 && (dice.chance(0.75) || state.conversations.length >= MANY_CONVERSATIONS)) {
      const conversation = dice.pick(open);
      return { conversation, input: { conversationId: conversation.id } };
    }
    if (state.conversations.length >= MANY_CONVERSATIONS) return null;
    const channel = dice.pick(CHANNELS);
    const conversation: ModelConversation = {
      id: '' as ConversationId,
      channel,
      title: '',
      titles: [],
      pinned: false,
      archived: false,
      removedAt: null,
      createdAt: now,
      updatedAt: now,
      turns: [],
    };
    return { conversation, input: { channel } };
  }

  #add({ conversation }: Place, said: Statement, shown: Accepted): ModelTurn {
    const { state, now } = this.#world;
    if (conversation.id === '') {
      conversation.id = shown.conversationId;
      conversation.title = said.text;
      conversation.titles.push(said.text);
      conversation.createdAt = now;
      state.conversations.push(conversation);
    }
    same('conversation of a turn', shown.conversationId, conversation.id);
    const turn: ModelTurn = {
      id: shown.turn.id,
      createdAt: now,
      messages: [],
      replies: [],
      active: 1,
      after: endOf(conversation),
      picked: 0,
    };
    conversation.turns.push(turn);
    this.#join(turn, conversation, said);
    return turn;
  }

  #join(turn: ModelTurn, conversation: ModelConversation, said: Statement): void {
    const { state, now } = this.#world;
    turn.messages.push({ role: 'user', content: said.text });
    turn.summary = undefined;
    conversation.updatedAt = now;
    learn(state, said, { at: now, turn, channel: conversation.channel });
  }

  /** The ids of facts that a turn added. */
  async #learnIds(turn: ModelTurn): Promise<void> {
    const { client, state } = this.#world;
    const fresh = state.facts.filter((fact) => fact.turn === turn && fact.id === '');
    if (fresh.length === 0) return;
    const { facts } = await client.facts.list({ all: true });
    for (const fact of fresh) {
      const found = facts.find(
        ({ id, turnId, content, key }) =>
          turnId === turn.id &&
          content === fact.content &&
          key === fact.key &&
          !state.facts.some((other) => other.id === id),
      );
      if (!found) throw new Error(`a fact was not learnt: ${fact.content}`);
      fact.id = found.id;
    }
  }

  async #ended(turn: ModelTurn): Promise<void> {
    const { client } = this.#world;
    await until(async () => {
      const { turns } = await client.chat.turns({ ids: [turn.id] });
      return turns[0]?.replies.every(({ state }: ReplyVersion) => state !== 'pending') ?? false;
    });
  }
}

interface Place {
  conversation: ModelConversation;
  input: { conversationId: ConversationId } | { channel: string };
}

type Accepted = Pick<Extract<TurnEvent, { type: 'accepted' }>, 'conversationId' | 'turn'>;

async function accepted(events: AsyncIterator<TurnEvent>): Promise<Accepted> {
  const { value, done } = await events.next();
  if (done || value.type !== 'accepted') throw new Error('a message was not accepted');
  return value;
}

/** Reads a stream to its end. */
async function end(events: AsyncIterator<TurnEvent>): Promise<void> {
  for (let next = await events.next(); !next.done; next = await events.next());
}

/** Waits for a condition that comes true within moments. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + 60_000;
  while (!(await holds())) {
    if (Date.now() > giveUpAt) throw new Error('what was waited for did not come');
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
