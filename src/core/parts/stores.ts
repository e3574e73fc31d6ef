import { join } from 'node:path';
import { DEFAULT_CHANNEL } from '../../shared/channels.ts';
import { choicesInForce } from '../../shared/choices.ts';
import type { AppEvent } from '../../shared/contract/app.ts';
import type { ConversationId } from '../../shared/ids.ts';
import type { StartEmbedder } from '../embedding/embedder.ts';
import { QUOTED_HASH } from '../items/index.ts';
import { Backups } from '../lifecycle/backup.ts';
import { NoteNames } from '../search/lexical/names.ts';
import type { OpenProfile } from '../services.ts';
import { AttachmentStore } from '../storage/attachments.ts';
import { CalibrationStore } from '../storage/calibrations.ts';
import { ContextBlockStore } from '../storage/contextBlocks.ts';
import { createConversationStore } from '../storage/conversations.ts';
import type { Db } from '../storage/database.ts';
import { isCopy } from '../storage/databaseCopies.ts';
import { ErasureLedger } from '../storage/erasureLedger.ts';
import { FactStore } from '../storage/facts.ts';
import { BACKUP_FOLDER, MADE_WHOLE } from '../storage/folderNames.ts';
import { ItemMarkStore } from '../storage/itemMarks.ts';
import { createKeyStore, type KeyCipher } from '../storage/keys.ts';
import { NoteStore } from '../storage/notes/noteStore.ts';
import { NoticeStore } from '../storage/notices.ts';
import { PromptStore } from '../storage/prompts.ts';
import { RetrievalLog } from '../storage/retrievalLog.ts';
import { createSettingsStore } from '../storage/settings.ts';
import { SummaryStore } from '../storage/summaries.ts';
import { ToolCallStore } from '../storage/toolCalls.ts';
import { VaultStore } from '../storage/vaults.ts';
import type { Clock } from '../support/clock.ts';
import type { Broadcast } from '../support/events.ts';
import type { Logger } from '../support/logger.ts';
import { removePartials } from '../support/partialFile.ts';
import type { ThreadEntry } from '../support/workerThread.ts';
import type { NoteParser } from '../vaults/parser.ts';

export interface PartsConfig {
  version: string;
  dir: string;
  log: Logger;
  clock: Clock;
  events: Broadcast<AppEvent>;
  profile: OpenProfile | null;
  keyCipher: KeyCipher | null;
  searchWorker: ThreadEntry | undefined;
  rowCheckWorker: ThreadEntry | undefined;
  startEmbedder: StartEmbedder;
  createParser(log: Logger): NoteParser;
  onBattery(): boolean;
  opensDamaged: boolean;
}

export type Stores = ReturnType<typeof openStores>;

export function openStores({ dir, log, clock, events, keyCipher }: PartsConfig, db: Db) {
  removePartials(join(dir, BACKUP_FOLDER), isCopy, log);
  removePartials(dir, (name) => MADE_WHOLE.includes(name), log);
  const factStore = new FactStore(db, () => events.send({ type: 'facts' }));
  const settings = createSettingsStore(db, log);
  const conversations = createConversationStore(db);
  /** What holds in a conversation: in a new one of the default channel if there is no id, and what the settings say in one that is not stored. */
  const choices = (id?: ConversationId | null) =>
    choicesInForce(
      settings.read(),
      id ? (conversations.get(id) ?? { channel: '' }) : { channel: DEFAULT_CHANNEL },
    );
  return {
    db,
    settings,
    keys: createKeyStore(dir, keyCipher),
    vaultStore: new VaultStore(db),
    notes: new NoteStore(db, factStore.anchors),
    conversations,
    choices,
    scopeOf: (id: ConversationId | undefined) => choices(id).scope,
    names: new NoteNames(db),
    factStore,
    prompts: new PromptStore(db),
    blocks: new ContextBlockStore(db, QUOTED_HASH),
    toolCalls: new ToolCallStore(db, QUOTED_HASH),
    summaries: new SummaryStore(db),
    attachments: new AttachmentStore(db),
    retrievals: new RetrievalLog(db, settings.read),
    itemMarks: new ItemMarkStore(db),
    calibrations: new CalibrationStore(db),
    ledger: new ErasureLedger(db, dir, log),
    notices: new NoticeStore(db, () => events.send({ type: 'notices' })),
    backups: new Backups({ db, dataDir: dir, clock, log: log.child({ domain: 'backups' }) }),
  };
}
