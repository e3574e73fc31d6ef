import type { ContractRouterClient } from '@orpc/contract';
import { app } from './app.ts';
import { attachments } from './attachments.ts';
import { chat } from './chat.ts';
import { data } from './data.ts';
import { facts } from './facts.ts';
import { factsNote } from './factsNote.ts';
import { forget } from './forget.ts';
import { imports } from './imports.ts';
import { memoryless } from './memoryless.ts';
import { models } from './models.ts';
import { notes } from './notes.ts';
import { retrieval } from './retrieval.ts';
import { review } from './review.ts';
import { summaries } from './summaries.ts';
import { traces } from './traces.ts';
import { usage } from './usage.ts';
import { vaults } from './vaults.ts';

/** Everything that a window or a command can ask of the core. */
export const contract = {
  app,
  data,
  vaults,
  notes,
  retrieval,
  chat,
  attachments,
  facts,
  factsNote,
  forget,
  imports,
  review,
  summaries,
  memoryless,
  models,
  traces,
  usage,
};

/** The contract as a typed client, over any transport. */
export type Client = ContractRouterClient<typeof contract>;
