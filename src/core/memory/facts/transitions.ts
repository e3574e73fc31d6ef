import { type Phrases, phrases } from './changeWords.ts';

/** What holds until something happens that ends it. */
interface Transition {
  holds: Phrases;
  ends: Phrases;
  /** It ends only if both speak of the same thing: of several things somebody may be looking for one is found. */
  isOfOneThing: boolean;
}

const TRANSITIONS: readonly Transition[] = [
  {
    holds: phrases(
      'enceinte*, attend* un bébé, attend* un enfant, attend* une fille, attend* un garçon, attend* des jumeaux, accouche en',
      'pregnant, expecting, baby is due, due in, due on',
    ),
    ends: phrases(
      'accouché, est né, est née, sont nés, sont nées, est arrivé, est arrivée',
      'gave birth, had the baby, had her baby, had our baby, was born, were born, has arrived',
    ),
    isOfOneThing: false,
  },
  {
    holds: phrases('fiancé, fiancée, fiancés', 'engaged'),
    ends: phrases('mariés, marié, mariée', 'got married, are married, is married, tied the knot'),
    isOfOneThing: false,
  },
  {
    holds: phrases(`à l'hôpital, hospitalisé, hospitalisée`, 'in hospital, in the hospital'),
    ends: phrases(
      `sorti de l'hôpital, sortie de l'hôpital, rentré de l'hôpital, rentrée de l'hôpital`,
      'home from hospital, out of hospital, home from the hospital, out of the hospital, discharged',
    ),
    isOfOneThing: false,
  },
  {
    holds: phrases(
      'en arrêt, arrêt maladie, congé maternité, congé paternité',
      'off sick, signed off, maternity leave',
    ),
    ends: phrases('repris le travail, repris le boulot, a repris, ai repris', 'back at work, back to work'),
    isOfOneThing: false,
  },
  {
    holds: phrases(
      'cherche, cherchons, cherchent, à la recherche',
      'looking for, searching for, hunting for, after a',
    ),
    ends: phrases('trouvé, trouvée, décroché, signé', 'found, signed for, landed'),
    isOfOneThing: true,
  },
  {
    holds: phrases(
      'passe, passer, prépare, préparons, révise, attend, attends, attendons',
      'taking, sitting, revising, studying for, preparing, waiting for, applied for, applying for',
    ),
    ends: phrases(
      'eu mon, eu ma, eu son, eu sa, réussi, obtenu, raté, reçu, reçue, arrivé, arrivée',
      'passed, failed, got my, got her, got his, got our, came through, arrived, turned down, rejected',
    ),
    isOfOneThing: true,
  },
];

/**
 * Does a statement tell what ends that which a fact says: a birth, a wedding, the end of a search?
 * @param sharesWords both speak of the same thing
 */
export const endsState = (statement: string, fact: string, sharesWords: boolean): boolean =>
  TRANSITIONS.some(
    ({ holds, ends, isOfOneThing }) =>
      (sharesWords || !isOfOneThing) && holds(fact) && !ends(fact) && ends(statement) && !holds(statement),
  );
