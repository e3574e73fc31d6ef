import type { Courtesy } from '../../../shared/contract/chat.ts';
import { foldedWords } from '../../support/text/tokenise.ts';

// Over folded words.
const THANKS =
  / (?:mercis?|thanks?|thank you|thankyou|thx|thks|tks|ty|tysm|cheers|grazie|gracias|mrc|(?:much )?appreciated)(?= )/;
const GREETING =
  / (?:bonjour|bonsoir|salut|coucou|rebonjour|allo|hello|hi|hey|hiya|howdy|yo|slt|bjr|bsr|cc|good (?:morning|afternoon|evening)|(?:quoi de neuf|what s (?:up|new)|whats up|how are (?:you|things)|how s it going|how do you do|ca va|comment (?:vas tu|allez vous|(?:tu|vous) (?:vas|allez))))(?= )/;
const FAREWELL =
  / (?:bye|goodbye|ciao|adieu|revoir|cya|ttyl|brb|gtg|sleep well|dors bien|take care|see (?:you|ya)|talk to you|(?:a|jusqu a) (?:demain|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|bientot|plus|tout a l heure|tantot|la prochaine|ce soir)|(?:bonne?|good|great|nice|belle|excellente) (?:fin de |rest of the )?(?:journee|soiree|nuit|week end|weekend|semaine|continuation|vacances|apres midi|day|night|week))(?= )/;

/**
 * What a message of small talk is above all, so that it can be answered as befits: thanks before leave, leave before a greeting.
 * @param text a message that is small talk
 */
export function courtesyOf(text: string): Courtesy {
  const folded = ` ${foldedWords(text)} `;
  if (THANKS.test(folded)) return 'thanks';
  if (FAREWELL.test(folded)) return 'farewell';
  return GREETING.test(folded) ? 'greeting' : 'agreement';
}
