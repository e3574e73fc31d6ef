import { derivedId } from '../../src/core/support/ids.ts';
import type { ImportReport } from '../../src/shared/contract/chat.ts';
import type { ConversationId, MessageId, TurnId } from '../../src/shared/ids.ts';
import type { Act } from './act.ts';
import { importTurn, showImported } from './modelTurns.ts';
import { same } from './same.ts';
import type { World } from './world.ts';
import type { FileMessage, ModelConversation, ModelFile, ModelTurn } from './worldModel.ts';

const MANY = 5;
const FILE = 'conv_file';

/** Did a conversation come from a file? */
export const isOfFile = ({ turns }: ModelConversation): boolean =>
  turns.some(({ messages }) => messages[0]?.id !== undefined);

/** What a run does with imported histories. */
export function importActs(world: World): Act[] {
  const acts = new ImportActs(world);
  return [
    { name: 'import a conversation', weight: 1, run: () => acts.importNew() },
    { name: 'import it again', weight: 1, run: () => acts.importAgain() },
  ];
}

class ImportActs {
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  async importNew(): Promise<string | null> {
    const { dice, state } = this.#world;
    const { files } = state;
    if (files.length >= MANY) return null;
    const file: ModelFile = {
      id: `${FILE}${files.length}` as ConversationId,
      channel: dice.pick(['import', 'Travail']),
      title: `Histoire ${this.#world.word()}`,
      messages: [],
    };
    files.push(file);
    this.#grow(file, dice.between(1, 5));
    return this.#import(file);
  }

  /** The same file, or one that has grown meanwhile. */
  async importAgain(): Promise<string | null> {
    const { dice, state } = this.#world;
    if (state.files.length === 0) return null;
    const file = dice.pick(state.files);
    if (dice.chance(0.5) && file.messages.length < 12) this.#grow(file, dice.between(1, 3));
    return this.#import(file);
  }

  #grow(file: ModelFile, count: number): void {
    for (let left = count; left > 0; left -= 1) {
      const number = file.messages.length;
      file.messages.push({
        id: `${file.id}_${number}` as MessageId,
        role: number % 2 === 0 ? 'user' : 'assistant',
        content: this.#world.text(),
        createdAt: Date.UTC(2023, 0, 1) + number * 60_000,
      });
    }
  }

  async #import(file: ModelFile): Promise<string> {
    const { client } = this.#world;
    const report = await client.chat.import({ conversations: [file] });
    const expected = this.#expected(file);
    // A stand-in does not tell what was imported.
    if (!this.#world.standIn) same('report of an import', report, expected);
    return `${file.id} ${JSON.stringify(report)}`;
  }

  /** Imports into the model. */
  #expected(file: ModelFile): ImportReport {
    const { state } = this.#world;
    const report: ImportReport = {
      conversations: 0,
      restored: 0,
      turns: 0,
      messages: 0,
      unchanged: 0,
      forgotten: 0,
    };
    let known = state.conversations.find(({ id }) => id === file.id);
    if (!known) {
      const { id, channel, title } = file;
      const createdAt = file.messages[0]?.createdAt ?? 0;
      const fresh = { titles: [title], pinned: false, archived: false, removedAt: null, turns: [] };
      known = { id, channel, title, ...fresh, createdAt, updatedAt: createdAt };
      state.conversations.push(known);
      report.conversations += 1;
    } else if (known.removedAt !== null) {
      known.removedAt = null;
      report.restored += 1;
    }
    let before: ModelTurn | null = null;
    for (let at = 0; at < file.messages.length; at += 2) {
      const said = file.messages.slice(at, at + 2) as [FileMessage, FileMessage?];
      before = this.#importTurn(known, {
        said: said.flatMap((message) => message ?? []),
        before,
        isLast: at + 2 >= file.messages.length,
        report,
      });
    }
    known.updatedAt = Math.max(known.updatedAt, file.messages.at(-1)?.createdAt ?? 0);
    return report;
  }

  #importTurn(
    known: ModelConversation,
    { said, before, isLast, report }: Part & { report: ImportReport },
  ): ModelTurn {
    const [asked] = said as [FileMessage];
    const messages = said.map(({ id, role, content }) => ({ id, role, content }));
    const stored = known.turns.find((turn) => turn.messages[0]?.id === asked.id);
    if (!stored) {
      report.turns += 1;
      report.messages += said.length;
      const id = derivedId('turn', known.id, asked.id) as TurnId;
      return importTurn(known, { id, createdAt: asked.createdAt, messages, before, isShown: true, isLast });
    }
    const fresh = messages.filter(({ id }) => stored.messages.every((one) => one.id !== id));
    report.messages += fresh.length;
    report.unchanged += messages.length - fresh.length;
    if (fresh.length === 0) return stored;
    stored.messages.push(...fresh);
    stored.summary = undefined;
    if (isLast) showImported(known, stored);
    return stored;
  }
}

/** A turn of a file. */
interface Part {
  said: readonly FileMessage[];
  before: ModelTurn | null;
  isLast: boolean;
}
