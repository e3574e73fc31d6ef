import { join } from 'node:path';
import { createApp } from '../../src/core/app.ts';
import type { ConversationId, MessageId } from '../../src/shared/ids.ts';
import { type OpenAiServer, type ServerOptions, startOpenAiServer } from '../fakes/openAiServer.ts';
import { removeFolder, temporaryFolder, writeNotes } from '../support/temporary.ts';
import { PATIENT_MS } from '../support/testApp.ts';
import { type RunningHost, startHost } from './host.ts';

export interface LongTalk {
  host: RunningHost;
  server: OpenAiServer;
  stop(): Promise<void>;
}

const PARAGRAPH =
  'Les tomates se plantent **après les saints de glace**, au pied d’un tuteur, et s’arrosent sans mouiller les feuilles. ';
export const LONG_REPLY = [
  '## Le potager',
  PARAGRAPH.repeat(3),
  '- pailler\n- tailler les gourmands\n- récolter en août',
  '| Variété | Semis |\n| --- | --- |\n| Marmande | mars |\n| Cornue des Andes | avril |',
  '```\nsemer(mars)\nrepiquer(mai)\n```',
  PARAGRAPH.repeat(3),
].join('\n\n');

/** Starts a host whose data holds one conversation of `turns` long turns with a model, and `conversations` others. */
export async function startLongTalk(size: {
  turns: number;
  conversations: number;
  server?: ServerOptions;
}): Promise<LongTalk> {
  const home = temporaryFolder();
  const [vault, dataDir] = [join(home, 'Carnet'), join(home, 'data')];
  writeNotes(vault, { 'Jardin.md': '# Jardin\n\nLe portail grince.' });
  const server = await startOpenAiServer(size.server);
  server.behave({ kind: 'reply', text: LONG_REPLY });
  const app = createApp({ dataDir, version: 'test' });
  // The model is asked for nothing but replies.
  await app.client.app.changeSettings({
    'chat.baseUrl': server.baseUrl,
    'chat.model': 'small',
    learnWithModel: 'off',
    timeoutMs: PATIENT_MS,
  });
  await app.client.vaults.add({ path: vault });
  const DAY_MS = 86_400_000;
  const now = Date.now();
  await app.client.chat.import({
    conversations: Array.from({ length: size.conversations }, (_, n) => ({
      id: `conv_${n}` as ConversationId,
      channel: 'chat',
      title: `Conversation ${n}`,
      messages: (['user', 'assistant'] as const).map((role) => ({
        id: `conv_${n}-${role}` as MessageId,
        role,
        content: `Sujet ${n}, ${role}`,
        createdAt: now - DAY_MS - n * 60_000,
      })),
    })),
  });
  let conversationId: ConversationId | undefined;
  for (let n = 0; n < size.turns; n += 1) {
    const text = n === 0 ? 'Le potager' : `Et ensuite, étape ${n} ?`;
    for await (const event of await app.client.chat.runTurn({
      text,
      ...(conversationId ? { conversationId } : {}),
    })) {
      if (event.type === 'accepted') conversationId = event.conversationId;
    }
  }
  await app.close();
  const host = await startHost(dataDir, { home });
  return {
    host,
    server,
    stop: async () => {
      await host.stop();
      await server.close();
      removeFolder(home);
    },
  };
}
