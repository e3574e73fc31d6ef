import type { Turn } from '../../../shared/contract/chat.ts';
import type { Client } from '../../../shared/contract/index.ts';
import type { ToolCall } from '../../../shared/contract/tools.ts';
import type { AttachmentId, ConversationId, TurnId } from '../../../shared/ids.ts';
import { topicToForget } from '../../../shared/toolWords.ts';
import { ARCHIVED, draftKey, questionOf, type StoreAccess } from './chatState.ts';
import { Following } from './following.ts';

/** New conversations do not begin in these. */
const NOT_WRITTEN_IN = [ARCHIVED, 'import', 'mcp'];

/** Where a message goes. */
export interface Destination {
  /** Null until the conversation exists. */
  id: ConversationId | null;
  /** The conversation while the first message makes it: what is sent meanwhile goes there too. */
  making: Promise<ConversationId> | null;
}

/** A message, as it is sent. */
export interface Message {
  text: string;
  attachments: AttachmentId[];
}

/** Calls that ask for a reply in a conversation. */
export class Calls {
  readonly #client: Client;
  readonly #store: StoreAccess;
  readonly following: Following;
  /** The next conversation. */
  #next: Destination = { id: null, making: null };

  constructor(client: Client, store: StoreAccess) {
    this.#client = client;
    this.#store = store;
    this.following = new Following({
      set: store.set,
      nextFrame: store.nextFrame,
      onTool: (tool, turnId) => this.#onTool(tool, turnId),
    });
  }

  /** Where a message goes that is sent in a conversation; null: in one that its first message makes. */
  destination(id: ConversationId | null): Destination {
    return id === null ? this.#next : { id, making: null };
  }

  /**
   * Sends a message and follows its turn to the end.
   * @throws what kept the message from being accepted; a stream that breaks later leaves the turn to be read again
   */
  async ask(message: Message, destination: Destination): Promise<void> {
    const conversationId = destination.id ?? (await destination.making);
    if (conversationId === null) await this.#askInNew(message, destination);
    else await this.following.follow(() => this.#client.chat.runTurn({ ...message, conversationId }));
  }

  async regenerate(turnId: TurnId): Promise<void> {
    await this.following.follow(
      () => this.#client.chat.regenerate({ turnId }),
      () => this.#endAt(turnId),
    );
  }

  /** Says something else in place of a turn. */
  async edit(turnId: TurnId, message: Message): Promise<void> {
    await this.following.follow(
      () => this.#client.chat.edit({ turnId, ...message }),
      () => this.#endAt(turnId, { without: true }),
    );
  }

  /** Nothing has been said yet after what comes now. */
  #endAt(turnId: TurnId, { without = false } = {}): void {
    this.#store.set(({ turns }) => {
      const place = turns.findIndex(({ id }) => id === turnId);
      return place < 0 ? {} : { turns: turns.slice(0, without ? place : place + 1) };
    });
  }

  async #askInNew(message: Message, destination: Destination): Promise<void> {
    const { channel, folder } = this.#store.get();
    const within = {
      ...(channel === null || NOT_WRITTEN_IN.includes(channel) ? {} : { channel }),
      ...(folder === null ? {} : { folders: [folder] }),
    };
    const { promise, resolve, reject } = Promise.withResolvers<ConversationId>();
    destination.making = promise;
    // The call below fails by itself; this only keeps a promise that nobody awaits from being reported.
    promise.catch(() => undefined);
    try {
      await this.following.follow(
        () => this.#client.chat.runTurn({ ...message, ...within }),
        (id, turn) => {
          destination.id = id;
          this.#next = { id: null, making: null };
          this.#openNew(id, turn);
          resolve(id);
        },
      );
    } catch (error) {
      reject(error);
      throw error;
    } finally {
      destination.making = null;
    }
  }

  /** Opens the conversation that now exists, unless another was opened meanwhile. What is being typed belongs to it. */
  #openNew(id: ConversationId, turn: Turn): void {
    this.#store.set(({ openId, drafts, attached }) => {
      if (openId !== null) return {};
      const { [draftKey(null)]: typed = '', ...others } = drafts;
      const { [draftKey(null)]: pending = [], ...elsewhere } = attached;
      return {
        openId: id,
        turns: [],
        drafts: { ...others, [id]: typed },
        attached: { ...elsewhere, [id]: pending },
        title: questionOf(turn),
      };
    });
  }

  /** A tool that has the user choose what to forget opens the plan, if its conversation is the one that is read. */
  #onTool(tool: ToolCall, turnId: TurnId): void {
    const topic = topicToForget(tool);
    const isShown = this.#store.get().turns.some(({ id }) => id === turnId);
    if (topic !== null && isShown) this.#store.set({ toForget: topic });
  }
}
