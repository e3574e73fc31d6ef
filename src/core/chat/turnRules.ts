import type { Settings } from '../../shared/settings.ts';
import type { OpenTurn } from './answer.ts';
import type { TurnRules } from './prompt/promptPlanner.ts';

/** Of a turn of a conversation: everything that the user has switched on. A job's own message is answered without memory. */
export function ordinaryRules(
  { system }: Pick<OpenTurn, 'system'>,
  { autoRetrieve, learnFacts, learnWithModel }: Settings,
): TurnRules {
  return {
    notRetrieved: system ? 'own-message' : autoRetrieve ? null : 'switched-off',
    sources: ['notes', 'memory'],
    withTools: !system,
    withMemories: learnFacts && learnWithModel === 'with-reply' && !system,
  };
}

/** Of a turn of a chat without memory: the notes, if the user wants them read, and nothing else. */
export function memorylessRules({ readsNotes }: Pick<OpenTurn, 'readsNotes'>): TurnRules {
  return {
    notRetrieved: readsNotes ? null : 'switched-off',
    // What notes gave to earlier turns is sent again.
    sources: ['notes'],
    withTools: readsNotes === true,
    withMemories: false,
  };
}
