import { chosenLanguage } from '../../shared/settings.ts';
import { Answerer } from '../chat/answer.ts';
import { Chat } from '../chat/chat.ts';
import { PromptPlanner } from '../chat/prompt/promptPlanner.ts';
import { Toolbox } from '../chat/tools/toolbox.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Drift } from '../memory/drift/drift.ts';
import type { Facts } from '../memory/facts/facts.ts';
import type { Words } from '../memory/facts/words.ts';
import { Gate } from '../memory/learning/gate.ts';
import { LEARN, Learning } from '../memory/learning/learning.ts';
import { ModelSummaries } from '../memory/summaries/modelSummaries.ts';
import { ROLL_UP, SUMMARISE, SUMMARISE_TURN, Summaries } from '../memory/summaries/summaries.ts';
import { ChatModels } from '../models/chatModels.ts';
import type { Lexicon } from '../search/lexical/lexicon.ts';
import type { SearchClient } from '../search/searchClient.ts';
import { systemLanguage } from '../support/systemLanguage.ts';
import { Particularity } from '../support/text/particulars.ts';

import type { PartsConfig, Stores } from './stores.ts';

export function createChat(
  config: PartsConfig,
  stores: Stores,
  {
    search,
    facts,
    lexicon,
    words,
    drift,
    jobs,
  }: { search: SearchClient; facts: Facts; lexicon: Lexicon; words: Words; drift: Drift; jobs: Jobs },
) {
  const { clock, events, onBattery } = config;
  const { keys } = stores;
  const settings = stores.settings.read;
  const log = config.log.child({ domain: 'chat' });
  const language = () => chosenLanguage(settings().language, systemLanguage());
  const models = new ChatModels({
    settings,
    keyOf: keys.get,
    clock,
    removedKey: {
      wasRemoved: () => stores.settings.keyWasRemoved,
      forget: () => stores.settings.forgetRemovedKey(),
    },
    onStatus: (status) => events.send({ type: 'model', status }),
  });
  const particularity = new Particularity(lexicon);
  const learning = new Learning({
    ...stores,
    facts,
    drift,
    models,
    words,
    settings,
    enqueue: (kind, subject) => jobs.enqueue(kind, subject),
    clock,
    language,
    log: config.log.child({ domain: 'learning' }),
  });
  const toolbox = new Toolbox({ ...stores, search, learning, settings, clock, log });
  const planner = new PromptPlanner({
    ...stores,
    settings,
    search,
    toolbox,
    clock,
    language,
    differs: (one, other) => particularity.differs(one, other),
  });
  const shared = { ...stores, vaults: stores.vaultStore, settings, clock, log };
  const answerer = new Answerer({ ...shared, models, planner, toolbox });
  const summarising = new Summaries({
    ...stores,
    models: new ModelSummaries({
      models,
      settings,
      lexicon,
      language,
      log: config.log.child({ domain: 'summaries' }),
    }),
    clock,
    enqueue: (kind, subject, priority) => jobs.enqueue(kind, subject, { priority }),
    isQueued: (kind, subject) => jobs.has(kind, subject),
    wake: () => jobs.reschedule(),
    onChange: () => events.send({ type: 'summaries' }),
  });
  // Rules take milliseconds, but these too are the user's while a turn is answered.
  const gates = [
    new Gate({ pause: () => jobs.pause([LEARN, SUMMARISE_TURN, ROLL_UP]), onBattery }),
    new Gate({ pause: () => jobs.pause([SUMMARISE]), onBattery: () => false }),
  ];
  const chat = new Chat({
    ...shared,
    facts,
    language,
    answerer,
    modelName: () => models.name(),
    onChange: () => events.send({ type: 'conversations' }),
    onReply: ({ turnId }, { state, memories }) => {
      const isAnswered = state === 'complete' || state === 'stopped';
      learning.turnEnded({ turnId, isAnswered, memories });
      summarising.turnEnded({ turnId, isAnswered, at: clock.now() });
    },
    onAnswering: (isAnswering) => {
      for (const gate of gates) gate.setAnswering(isAnswering);
    },
  });
  return { answerer, chat, models, learning, summarising, gates };
}
