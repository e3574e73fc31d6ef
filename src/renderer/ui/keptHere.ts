import type { Settings } from '../../shared/settings.ts';

/** What is not sent to a model that is not on this computer, as the texts of `settings.kept` name it. */
export function keptHere(settings: Settings): 'all' | 'notes' | 'memory' | 'none' {
  const { 'chat.sendNotes': notes, 'chat.sendMemory': memory } = settings;
  if (notes) return memory ? 'none' : 'memory';
  return memory ? 'notes' : 'all';
}
