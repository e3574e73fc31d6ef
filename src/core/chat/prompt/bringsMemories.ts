import type { Settings } from '../../../shared/settings.ts';

/** Is a reply to bring along what is to be remembered? Never one to a job's own message. */
export const bringsMemories = (
  { learnFacts, learnWithModel }: Pick<Settings, 'learnFacts' | 'learnWithModel'>,
  isSystem: boolean,
): boolean => learnFacts && learnWithModel === 'with-reply' && !isSystem;
