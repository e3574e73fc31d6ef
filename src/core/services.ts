import type { AppEvent } from '../shared/contract/app.ts';
import type { AppError, Language } from '../shared/errors.ts';
import type { ProfileName } from '../shared/profile.ts';
import type { Attachments } from './attachments/attachments.ts';
import type { Answerer } from './chat/answer.ts';
import type { Chat } from './chat/chat.ts';
import type { Imports } from './chat/imports/imports.ts';
import type { MemorylessChats } from './chat/memoryless/memorylessChats.ts';
import type { Replays } from './chat/replay.ts';
import type { SelfTests } from './chat/selfTest.ts';
import type { OtherEmbedders } from './embedding/otherEmbedders.ts';
import type { VectorIndexer } from './embedding/vectorIndexer.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { Backups } from './lifecycle/backup.ts';
import type { BackupErasure } from './lifecycle/backupErasure.ts';
import type { RecentlyDeleted } from './lifecycle/recentlyDeleted.ts';
import type { DataChange } from './lifecycle/replaceData.ts';
import type { RowChecks } from './lifecycle/rowChecks.ts';
import type { Drift } from './memory/drift/drift.ts';
import type { Confirming } from './memory/facts/confirming.ts';
import type { Facts } from './memory/facts/facts.ts';
import type { Merging } from './memory/facts/merge.ts';
import type { FactsNote } from './memory/factsNote/factsNote.ts';
import type { Forget } from './memory/forget/forget.ts';
import type { ForgetTurns } from './memory/forget/forgetTurns.ts';
import type { Review } from './memory/review/review.ts';
import type { Summaries } from './memory/summaries/summaries.ts';
import type { ChatModels } from './models/chatModels.ts';
import type { Calibrating } from './search/calibration/calibrating.ts';
import type { NoteNames } from './search/lexical/names.ts';
import type { SearchClient } from './search/searchClient.ts';
import type { AttachmentStore } from './storage/attachments.ts';
import type { CalibrationStore } from './storage/calibrations.ts';
import type { ConversationStore } from './storage/conversations.ts';
import type { Db } from './storage/database.ts';
import type { ErasureLedger } from './storage/erasureLedger.ts';
import type { FactStore } from './storage/facts.ts';
import type { ItemMarkStore } from './storage/itemMarks.ts';
import type { KeyStore } from './storage/keys.ts';
import type { NoteStore } from './storage/notes/noteStore.ts';
import type { NoticeStore } from './storage/notices.ts';
import type { PromptStore } from './storage/prompts.ts';
import type { RetrievalLog } from './storage/retrievalLog.ts';
import type { SettingsStore } from './storage/settings.ts';
import type { SummaryStore } from './storage/summaries.ts';
import type { ToolCallStore } from './storage/toolCalls.ts';
import type { VaultStore } from './storage/vaults.ts';
import type { Clock } from './support/clock.ts';
import type { Broadcast } from './support/events.ts';
import type { Logger } from './support/logger.ts';
import type { Vaults } from './vaults/registry.ts';

/** A folder of the data folder that Chromium has open while the host runs. */
export interface OpenProfile {
  name: ProfileName;
  /** Called when everything was erased, to erase at once what can be. */
  erased(): void;
}

/** What the API's handlers may use whatever the state of the data. */
export interface WithoutData {
  version: string;
  dataDir: string;
  systemLanguage: Language;
  log: Logger;
  clock: Clock;
  events: Broadcast<AppEvent>;
  /** The profile of the host's own window, which Chromium has open; null if it has none. */
  profile: OpenProfile | null;
  /** Why the data cannot be opened; null if it is open. */
  damage: AppError | null;
  /** Replaces files of the data folder, see `ReplaceableData.replace`. Connections go on; windows are told to load anew. */
  replaceData(change: DataChange): Promise<void>;
}

/** Everything that the API's handlers may use. */
export interface Services extends WithoutData {
  db: Db;
  jobs: Jobs;
  backups: Backups;
  backupErasure: BackupErasure;
  rowChecks: RowChecks;
  settings: SettingsStore;
  keys: KeyStore;
  vaultStore: VaultStore;
  vaults: Vaults;
  vectors: VectorIndexer;
  notes: NoteStore;
  conversations: ConversationStore;
  names: NoteNames;
  factStore: FactStore;
  facts: Facts;
  confirming: Confirming;
  drift: Drift;
  merging: Merging;
  review: Review;
  factsNote: FactsNote;
  recentlyDeleted: RecentlyDeleted;
  forget: Forget;
  forgetTurns: ForgetTurns;
  imports: Imports;
  search: SearchClient;
  prompts: PromptStore;
  summaries: SummaryStore;
  summarising: Summaries;
  toolCalls: ToolCallStore;
  retrievals: RetrievalLog;
  itemMarks: ItemMarkStore;
  calibrations: CalibrationStore;
  notices: NoticeStore;
  ledger: ErasureLedger;
  models: ChatModels;
  answerer: Answerer;
  replays: Replays;
  selfTests: SelfTests;
  calibrating: Calibrating;
  otherEmbedders: OtherEmbedders;
  chat: Chat;
  memoryless: MemorylessChats;
  attachments: AttachmentStore;
  readyAttachments: Attachments;
}
