import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { App } from '../../src/core/app.ts';
import { startOpenAiServer } from '../fakes/openAiServer.ts';
import { conversationAbout, madeUpNotes, madeUpReply } from '../support/madeUpVault.ts';
import { type AskedTurn, askInTurn, prefixShares } from '../support/recordedPrompts.ts';
import { seeded } from '../support/seeded.ts';
import { sharedData } from '../support/sharedData.ts';
import { createTestApp, indexVault } from '../support/testApp.ts';

const TURNS = 40;
const CONTEXT_TOKENS = [16_000, 4_096];
const MADE_UP_NOTES = 60;

type Notes = Readonly<Record<string, string>>;
export type Print = (name: string, value: number, unit: string, baseline: number) => void;

/**
 * How much of each prompt a server's prefix cache keeps, over a conversation of forty turns: the share of prompts that begin with
 * the whole list of messages of the one before, the mean share of characters kept, and why the other prompts differ.
 */
export async function benchPrompts(print: Print): Promise<void> {
  for (const [vault, notes] of Object.entries(vaults())) {
    for (const contextTokens of CONTEXT_TOKENS) {
      const { shares, steps } = await converse(notes, contextTokens);
      const name = `prompts.${vault}.${contextTokens}-tokens`;
      print(
        `${name}.begin-with-the-one-before`,
        shares.filter((share) => share === 1).length / shares.length,
        'share',
        1,
      );
      print(`${name}.kept`, shares.reduce((sum, share) => sum + share, 0) / shares.length, 'share', 1);
      console.log(JSON.stringify({ name: `${name}.steps`, reasons: steps }));
    }
  }
}

async function converse(
  notes: Notes,
  contextTokens: number,
): Promise<{ shares: number[]; steps: Record<string, number> }> {
  const server = await startOpenAiServer({ contextTokens });
  const test = createTestApp(notes);
  const random = seeded(3);
  try {
    server.behave({ kind: 'reply', text: () => madeUpReply(random) });
    await indexVault(test.app, test.vault);
    await test.app.services.vectors.settled();
    await test.app.client.app.changeSettings({ 'chat.baseUrl': server.baseUrl, 'chat.model': 'small' });
    const turns = await askInTurn(test.app, conversationAbout(notes, TURNS));
    const shares = prefixShares(server.prompts);
    const steps: Record<string, number> = {};
    for (const [index, share] of shares.entries()) {
      if (share === 1) continue;
      for (const code of await stepCodes(test.app, turns[index + 1] as AskedTurn))
        steps[code] = (steps[code] ?? 0) + 1;
    }
    return { shares, steps };
  } finally {
    await test.dispose();
    await server.close();
  }
}

/** Why the turn's prompt does not begin with the one before. */
async function stepCodes({ client }: App, { turn }: AskedTurn): Promise<string[]> {
  const trace = await client.traces.ofTurn({ turnId: turn.id });
  const codes = (trace?.prompt?.steps ?? []).map(({ code }) => code);
  return codes.length === 0 ? ['no reason recorded'] : codes;
}

/** Made-up notes, and the real vaults that this machine has. */
function vaults(): Record<string, Notes> {
  const folder = sharedData('vaults');
  const real =
    folder === null ? [] : readdirSync(folder).map((name) => [name, readNotes(join(folder, name))] as const);
  return { 'made-up': madeUpNotes(MADE_UP_NOTES), ...Object.fromEntries(real) };
}

function readNotes(folder: string): Notes {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.md'))
      .sort()
      .map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  );
}
