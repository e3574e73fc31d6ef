import { z } from 'zod';

/** Branded identifiers: the compiler refuses a note's id in place of a vault's. */
export const VaultId = z.string().min(1).max(100).brand('VaultId');
export const NoteId = z.string().min(1).max(100).brand('NoteId');
export const ChunkId = z.string().min(1).max(100).brand('ChunkId');
export const ConversationId = z.string().min(1).max(200).brand('ConversationId');
export const TurnId = z.string().min(1).max(200).brand('TurnId');
export const MessageId = z.string().min(1).max(200).brand('MessageId');

export const FactId = z.string().min(1).max(100).brand('FactId');
export const SummaryId = z.string().min(1).max(100).brand('SummaryId');
export const AttachmentId = z.string().min(1).max(100).brand('AttachmentId');
export const SectionId = z.string().min(1).max(100).brand('SectionId');

export type FactId = z.infer<typeof FactId>;
export type SummaryId = z.infer<typeof SummaryId>;
export type AttachmentId = z.infer<typeof AttachmentId>;
export type SectionId = z.infer<typeof SectionId>;
export type VaultId = z.infer<typeof VaultId>;
export type NoteId = z.infer<typeof NoteId>;
export type ChunkId = z.infer<typeof ChunkId>;
export type ConversationId = z.infer<typeof ConversationId>;
export type TurnId = z.infer<typeof TurnId>;
export type MessageId = z.infer<typeof MessageId>;
