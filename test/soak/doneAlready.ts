import { createORPCClient } from '@orpc/client';
import type { ReplyVersion } from '../../src/shared/contract/chat.ts';
import type { Fact } from '../../src/shared/contract/facts.ts';
import type { Client } from '../../src/shared/contract/index.ts';
import type { Summary } from '../../src/shared/contract/summaries.ts';
import type { ConversationId, TurnId } from '../../src/shared/ids.ts';

/** The core shows no trace of the call. */
export class NotDone extends Error {}

/** A reply that a kill may have cut short, with what the core has of it. */
interface KeptReply {
  turnId: TurnId;
  reply: ReplyVersion;
}

/**
 * A client for an act that a kill may have overtaken: what changes something is looked for in the core instead of being done, and
 * answered as it would have been. What only reads is read. Whether everything of the act is there is left to a comparison.
 */
export class DoneAlready {
  readonly client: Client;
  /** Replies of the act as the core has them. */
  readonly replies: KeptReply[] = [];
  readonly #core: Client;

  constructor(core: Client) {
    this.#core = core;
    this.client = createORPCClient({ call: (path, input) => this.#answer(path.join('.'), input) });
  }

  async #answer(call: string, input: unknown): Promise<unknown> {
    const { chat, facts, summaries } = this.#core;
    switch (call) {
      case 'facts.list':
        return facts.list(input as Parameters<typeof facts.list>[0]);
      case 'chat.get':
        return chat.get(input as Parameters<typeof chat.get>[0]);
      case 'chat.turns':
        return chat.turns(input as Parameters<typeof chat.turns>[0]);
      case 'facts.add':
        return this.#findFact((input as { content: string }).content);
      case 'chat.runTurn':
        return this.#findTurn((input as { text: string }).text);
      case 'chat.edit':
        return this.#findTurn((input as { text: string }).text);
      case 'chat.regenerate':
        return this.#findVersion((input as { turnId: TurnId }).turnId);
      case 'chat.remove':
        return { facts: await this.#factsOf((input as { id: ConversationId }).id) };
      case 'summaries.list':
        return summaries.list(input as Parameters<typeof summaries.list>[0]);
      case 'summaries.correct':
        return this.#findSummary(input as { id: string; text: string });
      case 'summaries.regenerate':
        return { madeBy: 'rules' };
      case 'vaults.add':
        return this.#findVault((input as { path: string }).path);
      case 'vaults.index':
        return this.#nothing();
      default:
        return undefined;
    }
  }

  async #findFact(content: string): Promise<Fact> {
    const { facts } = await this.#core.facts.list({ query: content, all: true });
    const fact = facts.find((one) => one.content === content);
    if (!fact) throw new NotDone(`no fact: ${content}`);
    return fact;
  }

  async *#findTurn(text: string) {
    const { chat } = this.#core;
    for (const { id } of await this.#conversations()) {
      const { turns } = await chat.get({ id, limit: 200 });
      const turn = turns.find(({ messages }) => messages.some(({ content }) => content === text));
      if (!turn) continue;
      this.#keep(turn.id, turn.replies);
      yield { type: 'accepted', conversationId: id, turn };
      return;
    }
    throw new NotDone(`no message: ${text}`);
  }

  async *#findVersion(turnId: TurnId) {
    const { turns } = await this.#core.chat.turns({ ids: [turnId] });
    this.#keep(turnId, turns[0]?.replies ?? []);
    yield* [];
  }

  async #findSummary({ id, text }: { id: string; text: string }): Promise<Summary> {
    for (const conversation of await this.#conversations()) {
      const all = await this.#core.summaries.list({ conversationId: conversation.id });
      const found = all.find((one) => one.id === id && one.text === text);
      if (found) return found;
    }
    throw new NotDone(`no summary: ${text}`);
  }

  async #conversations() {
    const { chat } = this.#core;
    const lists = await Promise.all([chat.list({}), chat.list({ archived: true })]);
    return lists.flat();
  }

  async #findVault(path: string) {
    const vault = (await this.#core.vaults.list()).find((one) => one.path === path);
    if (!vault) throw new NotDone(`no vault: ${path}`);
    return vault;
  }

  async *#nothing() {
    yield* [];
  }

  #keep(turnId: TurnId, replies: readonly ReplyVersion[]): void {
    const reply = replies.at(-1);
    if (!reply) throw new NotDone(`no reply: ${turnId}`);
    this.replies.push({ turnId, reply });
  }

  async #factsOf(id: ConversationId) {
    const { facts } = await this.#core.facts.list({});
    return facts.filter(({ conversationId }) => conversationId === id).map((fact) => fact.id);
  }
}
