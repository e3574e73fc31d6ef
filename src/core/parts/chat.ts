import type { ConversationId } from '../../shared/ids.ts';
import { chosenLanguage } from '../../shared/settings.ts';
import { AttachmentReader } from '../attachments/attachmentReader.ts';
import { Attachments } from '../attachments/attachments.ts';
import { Answerer } from '../chat/answer.ts';
import { Chat, type ChatPorts } from '../chat/chat.ts';
import { HeldTurns } from '../chat/memoryless/heldTurns.ts';
import { keepChat } from '../chat/memoryless/keepChat.ts';
import { MemorylessChats } from '../chat/memoryless/memorylessChats.ts';
import { createOtherSpaces } from '../chat/otherSpaces.ts';
import { PromptPlanner } from '../chat/prompt/promptPlanner.ts';
import { Replays } from '../chat/replay.ts';
import { SelfTests } from '../chat/selfTest.ts';
import { StoredTurns } from '../chat/storedTurns.ts';
import { allTools, noteTools, Toolbox } from '../chat/tools/toolbox.ts';
import { memorylessRules, ordinaryRules } from '../chat/turnRules.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Drift } from '../memory/drift/drift.ts';
import type { Facts } from '../memory/facts/facts.ts';
import type { Words } from '../memory/facts/words.ts';
import { Gate } from '../memory/learning/gate.ts';
import { LEARN, Learning } from '../memory/learning/learning.ts';
import { ModelSummaries } from '../memory/summaries/modelSummaries.ts';
import { ROLL_UP, SUMMARISE, SUMMARISE_TURN, Summaries } from '../memory/summaries/summaries.ts';
import { ChatModels } from '../models/chatModels.ts';
import { CALIBRATE } from '../search/calibration/calibrating.ts';
import type { Lexicon } from '../search/lexical/lexicon.ts';
import { systemLanguage } from '../support/systemLanguage.ts';
import { Particularity } from '../support/text/particulars.ts';

import type { createIndexing } from './indexing.ts';
import type { PartsConfig, Stores } from './stores.ts';

export function createChat(
  config: PartsConfig,
  stores: Stores,
  {
    indexing,
    facts,
    lexicon,
    words,
    drift,
    jobs,
  }: {
    indexing: Pick<ReturnType<typeof createIndexing>, 'search' | 'vectors' | 'otherEmbedders'>;
    facts: Facts;
    lexicon: Lexicon;
    words: Words;
    drift: Drift;
    jobs: Jobs;
  },
) {
  const { search } = indexing;
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
  const toolPorts = { ...stores, search, learning, settings, clock };
  const planning = {
    db: stores.db,
    settings,
    choices: stores.choices,
    search,
    clock,
    language,
    differs: (one: string, other: string) => particularity.differs(one, other),
  };
  const shared = { ...stores, vaults: stores.vaultStore, settings, clock, log };
  const turns = new StoredTurns(stores);
  const toolbox = new Toolbox({ settings, log }, allTools(toolPorts));
  const planner = new PromptPlanner({ ...planning, turns, toolbox });
  const { vectors, otherEmbedders } = indexing;
  const otherSpaces = createOtherSpaces({ ...stores, serving: () => vectors.serving(), otherEmbedders });
  const replays = new Replays({ ...stores, planner, otherSpaces });
  const selfTests = new SelfTests({ ...stores, planner, otherSpaces });
  const answerer = new Answerer({
    ...shared,
    models,
    planner,
    turns,
    toolbox,
    rules: ordinaryRules,
  });
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
    new Gate({ pause: () => jobs.pause([LEARN, SUMMARISE_TURN, ROLL_UP, CALIBRATE]), onBattery }),
    new Gate({ pause: () => jobs.pause([SUMMARISE]), onBattery: () => false }),
  ];
  const onReply: ChatPorts['onReply'] = ({ turnId }, { state, memories }) => {
    const isAnswered = state === 'complete' || state === 'stopped';
    learning.turnEnded({ turnId, isAnswered, memories });
    summarising.turnEnded({ turnId, isAnswered, at: clock.now() });
  };
  const answering = { chat: false, memoryless: false };
  const onAnswering = (where: keyof typeof answering) => (isAnswering: boolean) => {
    answering[where] = isAnswering;
    for (const gate of gates) gate.setAnswering(answering.chat || answering.memoryless);
  };
  const onChange = () => events.send({ type: 'conversations' });
  const opening = {
    ...shared,
    facts,
    language,
    modelName: (id: ConversationId) => models.name(stores.choices(id).model),
  };
  const readyAttachments = new Attachments({
    reader: new AttachmentReader(config.log.child({ domain: 'attachments' })),
    notes: stores.notes,
  });
  const chat = new Chat({
    ...opening,
    ready: readyAttachments,
    answerer,
    onChange,
    onReply,
    onAnswering: onAnswering('chat'),
  });
  const held = new HeldTurns(stores.db, stores.notes);
  const noteBox = new Toolbox({ settings, log }, noteTools(toolPorts));
  const memoryless = new MemorylessChats({
    ...opening,
    attachments: held,
    turns: held,
    ready: readyAttachments,
    answerer: new Answerer({
      ...shared,
      attachments: held,
      models,
      planner: new PromptPlanner({ ...planning, turns: held, toolbox: noteBox }),
      turns: held,
      toolbox: noteBox,
      rules: memorylessRules,
    }),
    keep: (kept) => {
      keepChat({ ...opening, turns: held, onReply }, kept);
      onChange();
    },
    onAnswering: onAnswering('memoryless'),
  });
  return {
    answerer,
    replays,
    selfTests,
    chat,
    memoryless,
    readyAttachments,
    models,
    learning,
    summarising,
    gates,
  };
}
