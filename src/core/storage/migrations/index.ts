import type { Migration } from '../migrate.ts';
import { initial } from './0001-initial.ts';
import { facts } from './0002-facts.ts';
import { context } from './0003-context.ts';
import { vectors } from './0004-vectors.ts';
import { noteNames } from './0005-note-names.ts';
import { retrievalIndexes } from './0006-retrieval-indexes.ts';
import { tokeniserVersion } from './0007-tokeniser-version.ts';
import { conversationOrder } from './0008-conversation-order.ts';
import { reasons } from './0009-reasons.ts';
import { jobs } from './0010-jobs.ts';
import { reasoning } from './0011-reasoning.ts';
import { noteTags } from './0012-note-tags.ts';
import { noteCounts } from './0013-note-counts.ts';
import { itemKinds } from './0014-item-kinds.ts';
import { turnCounts } from './0015-turn-counts.ts';
import { prompts } from './0016-prompts.ts';
import { citationNumbers } from './0017-citation-numbers.ts';
import { learnt } from './0018-learnt.ts';
import { commits } from './0019-commits.ts';
import { replyParts } from './0020-reply-parts.ts';
import { vaultIdentity } from './0021-vault-identity.ts';
import { factRecord } from './0022-fact-record.ts';
import { rowSums } from './0023-row-sums.ts';
import { forgottenTurns } from './0024-forgotten-turns.ts';
import { factNotes } from './0025-fact-notes.ts';
import { factReview } from './0026-fact-review.ts';
import { forgetItems } from './0027-forget-items.ts';
import { branches } from './0028-branches.ts';
import { imports } from './0029-imports.ts';
import { toolCalls } from './0030-tool-calls.ts';
import { unsaidFacts } from './0031-unsaid-facts.ts';
import { summaries } from './0032-summaries.ts';
import { turnSource } from './0033-turn-source.ts';
import { forgottenSummaries } from './0034-forgotten-summaries.ts';
import { pinnedFacts } from './0035-pinned-facts.ts';
import { toolTerms } from './0036-tool-terms.ts';
import { folders } from './0037-folders.ts';
import { forgottenBefore } from './0038-forgotten-before.ts';
import { attachments } from './0039-attachments.ts';
import { choices } from './0040-choices.ts';
import { itemMarks } from './0041-item-marks.ts';
import { wholeRetrievals } from './0042-whole-retrievals.ts';
import { calibrations } from './0043-calibrations.ts';

/** In order; append only. */
export const migrations: readonly Migration[] = [
  initial,
  facts,
  context,
  vectors,
  noteNames,
  retrievalIndexes,
  tokeniserVersion,
  conversationOrder,
  reasons,
  jobs,
  reasoning,
  noteTags,
  noteCounts,
  itemKinds,
  turnCounts,
  prompts,
  citationNumbers,
  learnt,
  commits,
  replyParts,
  vaultIdentity,
  factRecord,
  rowSums,
  forgottenTurns,
  factNotes,
  factReview,
  forgetItems,
  branches,
  imports,
  toolCalls,
  unsaidFacts,
  summaries,
  turnSource,
  forgottenSummaries,
  pinnedFacts,
  toolTerms,
  folders,
  forgottenBefore,
  attachments,
  choices,
  itemMarks,
  wholeRetrievals,
  calibrations,
];
