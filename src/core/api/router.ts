import { app } from './app.ts';
import { attachments } from './attachments.ts';
import { chat } from './chat.ts';
import { data } from './data.ts';
import { facts } from './facts.ts';
import { factsNote } from './factsNote.ts';
import { forget } from './forget.ts';
import { api } from './implementer.ts';
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

/** The whole contract, implemented; each transport carries this one router. */
export const router = api.router({
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
});
