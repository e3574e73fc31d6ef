import type { ToolOutcomeCode, ToolParams } from '../../../shared/contract/tools.ts';
import type { Language } from '../../../shared/errors.ts';
import { oneLine } from '../../../shared/oneLine.ts';
import type { ResultParts } from '../../storage/toolCalls.ts';
import { renderBlock } from '../prompt/block.ts';

type Words = Readonly<Record<ToolOutcomeCode, (params: ToolParams) => string>>;

/** A parameter may hold what the model wrote. */
const PARAM_CHARACTERS = 400;
const said = (params: ToolParams, name: string): string =>
  oneLine(String(params[name] ?? ''), PARAM_CHARACTERS);
const hasMore = ({ shown, of }: ToolParams): boolean => Number(of) > Number(shown);

const WORDS: Readonly<Record<Language, Words>> = {
  en: {
    running: () => '',
    found: (params) =>
      hasMore(params) ? `Shown: ${said(params, 'shown')} of ${said(params, 'of')} results.` : '',
    note: (params) =>
      hasMore(params)
        ? `Shown: ${said(params, 'shown')} of the ${said(params, 'of')} passages. Name a heading to read another one.`
        : '',
    nothing: () => 'Nothing was found.',
    gone: () => 'What was found has been changed or deleted since.',
    'no-note': () => 'There is no such note. Use search_notes to find its path.',
    'no-heading': () => 'The note has no such heading. It begins like this.',
    kept: () => 'It is remembered.',
    waits: () =>
      'It is kept for the user to confirm in Review, because their own messages of this turn do not say it. It is not known until then.',
    'not-kept': () =>
      'It is not remembered: it is no statement about the user, or the user had it forgotten.',
    plan: () =>
      'The user is now shown what would be forgotten, and decides. Nothing is forgotten yet: tell them to look at the list and to confirm.',
    'bad-arguments': (params) =>
      `The arguments cannot be read: ${said(params, 'problem')}. Call it again with arguments that fit.`,
    'unknown-tool': (params) => `There is no such tool. These exist: ${said(params, 'tools')}.`,
    'no-room': () => 'There is no room for more results. Answer with what you have.',
    failed: () => 'The tool failed. Try other words, another tool, or answer without it.',
    cut: () => 'The call was cut short before it had answered.',
  },
  fr: {
    running: () => '',
    found: (params) =>
      hasMore(params) ? `Affichés : ${said(params, 'shown')} résultats sur ${said(params, 'of')}.` : '',
    note: (params) =>
      hasMore(params)
        ? `Affichés : ${said(params, 'shown')} passages sur ${said(params, 'of')}. Nommez un titre pour en lire un autre.`
        : '',
    nothing: () => 'Rien n’a été trouvé.',
    gone: () => 'Ce qui avait été trouvé a été modifié ou supprimé depuis.',
    'no-note': () => 'Cette note n’existe pas. Utilisez search_notes pour trouver son chemin.',
    'no-heading': () => 'La note n’a pas ce titre. Elle commence ainsi.',
    kept: () => 'C’est retenu.',
    waits: () =>
      'C’est gardé pour que l’utilisateur le confirme dans « À vérifier », car ses propres messages de cet échange ne le disent pas. Ce n’est pas su d’ici là.',
    'not-kept': () =>
      'Ce n’est pas retenu : ce n’est pas une affirmation sur l’utilisateur, ou il l’a fait oublier.',
    plan: () =>
      'L’utilisateur voit maintenant ce qui serait oublié, et décide. Rien n’est encore oublié : dites-lui de regarder la liste et de confirmer.',
    'bad-arguments': (params) =>
      `Les arguments sont illisibles : ${said(params, 'problem')}. Rappelez l’outil avec des arguments valables.`,
    'unknown-tool': (params) => `Cet outil n’existe pas. Il y a : ${said(params, 'tools')}.`,
    'no-room': () => 'Il n’y a plus de place pour d’autres résultats. Répondez avec ce que vous avez.',
    failed: () => 'L’outil a échoué. Essayez d’autres mots, un autre outil, ou répondez sans lui.',
    cut: () => 'L’appel a été interrompu avant d’avoir répondu.',
  },
};

/** What a model is told of a call: what was found, quoted as in a context block, and a line of this program's words. */
export function renderResult({ outcome, params, ...block }: ResultParts): string {
  const isLost =
    block.items.length === 0 && (outcome === 'found' || outcome === 'note' || outcome === 'no-heading');
  const line = WORDS[block.language][isLost ? 'gone' : outcome](params);
  return [renderBlock(block), line].filter((part) => part !== '').join('\n\n');
}
