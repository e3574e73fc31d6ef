import type { App } from '../../../src/core/app.ts';
import type { ConversationId, MessageId } from '../../../src/shared/ids.ts';
import { defaultSettings } from '../../../src/shared/settings.ts';
import { withCore } from '../indexedSet.ts';
import { measure, ndcg10, recallAt, shareFound } from '../metrics.ts';
import { createPlainBm25 } from '../plainBm25.ts';
import { openProduct, type Product } from '../product.ts';
import { readTalk, type TalkDialogue, type TalkQuestion } from './talk.ts';

/** A question, when it is asked, and the ids of the messages that answer it. */
export interface Asked extends TalkQuestion {
  language: TalkDialogue['language'];
  now: number;
  right: string[];
}

/** The dialogues of a half, imported. */
export interface TalkHalf {
  half: 'tune' | 'report';
  app: App;
  product: Product;
  dialogues: readonly TalkDialogue[];
}

export const messageId = (dialogue: Pick<TalkDialogue, 'id'>, turn: string) =>
  `msg_${dialogue.id}_${turn}` as MessageId;
const MINUTE_MS = 60_000;
/** Found ids that are looked at. */
const LIMIT = 20;

/**
 * Stores dialogues as a user's imported history, a conversation for each session and a turn for each message, and waits for their
 * vectors.
 */
export async function importTalk({ client, services }: App, dialogues: readonly TalkDialogue[]) {
  const conversations = dialogues.flatMap((dialogue) =>
    dialogue.sessions.map(({ at, turns }, session) => ({
      id: `conv_${dialogue.id}_${session}` as ConversationId,
      channel: 'import',
      title: dialogue.people.join(' & '),
      messages: turns.map(({ id, author, text }, place) => ({
        id: messageId(dialogue, id),
        role: 'user' as const,
        author,
        content: text,
        createdAt: Date.parse(at) + place * MINUTE_MS,
      })),
    })),
  );
  await client.chat.import({ conversations });
  await services.vectors.settled();
}

export const askedOf = (dialogues: readonly TalkDialogue[]): Asked[] =>
  dialogues.flatMap((dialogue) =>
    dialogue.questions.map((question) => ({
      ...question,
      language: dialogue.language,
      now: Date.parse(dialogue.askedAt),
      right: question.evidence.map((turn) => messageId(dialogue, turn)),
    })),
  );

/** Runs `work` for each half, whose dialogues are imported together into a core of their own. */
export async function onHalves(work: (half: TalkHalf) => Promise<void>): Promise<void> {
  for (const [place, dialogues] of readTalk().entries()) {
    await withCore(async (app) => {
      await importTalk(app, dialogues);
      const product = await openProduct(app);
      await work({ half: place === 0 ? 'tune' : 'report', app, product, dialogues });
    });
  }
}

/** Ids of the messages that the product finds for a question, best first. */
export async function findMessages(
  product: Product,
  { text, now, after }: Pick<Asked, 'text' | 'now' | 'after'>,
): Promise<string[]> {
  const found = await product.find(text, ['turns'], now, after);
  return found.flatMap(({ result }) => (result.kind === 'turn' ? (result.messageIds ?? []) : []));
}

/**
 * Ids of the messages that a turn with this question would be given at the default settings, what the prompt holds and the token budget
 * aside.
 */
export async function givenMessages(
  product: Product,
  { text, now }: Pick<Asked, 'text' | 'now'>,
): Promise<string[]> {
  const { minScore, maxResults } = defaultSettings;
  const found = await product.find(text, ['facts', 'notes', 'turns'], now);
  const always = found.filter((one) => one.always !== null);
  const answering = found.filter(({ always: given, result }) => given === null && result.score >= minScore);
  return [...always, ...answering.slice(0, maxResults)].flatMap(({ result }) =>
    result.kind === 'turn' ? (result.messageIds ?? []) : [],
  );
}

/** Prints how well evidence is found in each half, a follow-up being asked behind the question that it follows: by a plain BM25, by vectors alone, and by the product. */
export async function evaluateTalk(): Promise<void> {
  await onHalves(async ({ half, app, product, dialogues }) => {
    const asked = askedOf(dialogues);
    const ways = {
      plainBm25: byPlainBm25(dialogues, asked),
      vectors: await byVectors(app, product, asked),
      product: await Promise.all(asked.map((question) => findMessages(product, question))),
    };
    const given = await Promise.all(asked.map((question) => givenMessages(product, question)));
    const turns = dialogues.flatMap(({ sessions }) => sessions.flatMap((session) => session.turns)).length;
    const print = (name: string, accept: (question: Asked) => boolean) => {
      const places = [...asked.keys()].filter((place) => accept(asked[place] as Asked));
      const summary = (lists: readonly string[][]) => {
        const values = (score: (found: string[], right: string[]) => number) =>
          measure(places.map((place) => score(lists[place] as string[], (asked[place] as Asked).right)));
        return {
          'recall@5': values((found, right) => recallAt(5, found, right)),
          'recall@10': values((found, right) => recallAt(10, found, right)),
          'ndcg@10': values(ndcg10),
        };
      };
      console.log(
        JSON.stringify({
          name,
          half,
          turns,
          questions: places.length,
          ...Object.fromEntries(Object.entries(ways).map(([way, lists]) => [way, summary(lists)])),
          evidenceGiven: measure(
            places.map((place) => shareFound(given[place] as string[], (asked[place] as Asked).right)),
          ),
        }),
      );
    };
    print('talk', () => true);
    for (const language of ['en', 'fr']) print(`talk.${language}`, (one) => one.language === language);
    for (const kind of new Set(asked.map((one) => one.kind))) {
      print(`talk, ${kind}`, (one) => one.kind === kind);
    }
  });
}

function byPlainBm25(dialogues: readonly TalkDialogue[], asked: readonly Asked[]): string[][] {
  const turns = dialogues.flatMap((dialogue) =>
    dialogue.sessions.flatMap((session) =>
      session.turns.map(({ id, author, text }) => ({
        id: messageId(dialogue, id),
        text: `${author}: ${text}`,
      })),
    ),
  );
  const rank = createPlainBm25(turns.map(({ text }) => text));
  return asked.map(({ text }) =>
    rank(text)
      .slice(0, LIMIT)
      .map((place) => (turns[place] as { id: string }).id),
  );
}

/** Nearest by the cosine of whole turns. */
async function byVectors(
  { services }: App,
  { index }: Product,
  asked: readonly Asked[],
): Promise<string[][]> {
  const messages = new Map(
    services.db
      .all<{ id: string; turn_id: string }>('SELECT id, turn_id FROM messages')
      .map(({ id, turn_id }) => [turn_id, id]),
  );
  const lists: string[][] = [];
  for (const { text } of asked) {
    const query = await index.embedder.embedQuery(text);
    const near = index.matrices.nearest('turn', query, { limit: LIMIT, accept: () => true });
    lists.push(near.flatMap(({ id }) => messages.get(id) ?? []));
  }
  return lists;
}
