/** Finite forms that show where the verb of a clause stands after a noun. Folded; not every verb there is, but those people use of themselves. */
const FORMS = new Set(
  `est es suis sont sommes etes etait etaient sera seront a ai as ont avons avez avait avaient aura auront va vais vont
   allons allait vient viens viennent se s ne n me m fait fais font faisons doit dois doivent veut veux veulent peut sait
   is are am was were be has have had 's will does do did can could goes go went gets get got takes took turns turned makes
   made gave gives had broke lost won wants needs likes loves hates prefers plays lives works moves moved started starts
   left leaves quit passed died bought sold adopted joined finished speaks eats drinks drives rides runs ran studies
   studied teaches taught wears retired graduated married divorced owns keeps kept called named says said told became
   becomes flies flew arrives arrived comes came visits visited stays stayed hurt hurts fell failed failing swims sings
   collects suffers needs uses used expects has got paid costs opens closes ends ended begins began
   habite vit travaille bosse mange boit aime adore deteste prefere joue parle dort rentre part arrive sort reste passe
   prend commence finit termine quitte cherche attend conduit roule court nage chante danse fume etudie apprend enseigne
   ecrit lit dit pense crois croit croient supporte souffre porte perd gagne vend achete loue ouvre ferme coute garde
   tient suit devient revient repart monte descend entre accouche fete demenage emmenage demissionne divorce marie epouse
   adopte soigne opere dirige gere possede collectionne pratique tombe casse mesure pese vivent habitent travaillent
   partent arrivent rentrent passent prennent commencent quittent aiment adorent detestent preferent jouent parlent mangent
   boivent fetent demenagent attendent finissent existe s'appelle date contient debute
   shares share devenu
   avions auras etions vivait habitait travaillait nous`.split(/\s+/),
);
/** Base forms, which are verbs behind a plural. */
const BASE = new Set(
  'start begin end meet live need eat drink cost come go leave arrive stay sleep run work play finish open close sit stand hate love like prefer want keep speak teach learn own'.split(
    ' ',
  ),
);
const COMPOUND_ENDING = /^.{3,}(?:era|eront|erai|erons|aient)$/;

export const isVerb = (word: string) => word !== 'nous' && (FORMS.has(word) || COMPOUND_ENDING.test(word));

/** "My mocks start…", "the kids love…": is a word a verb behind another? « Mot de passe » holds none. */
export const isVerbBehind = (before: string, word: string) =>
  (isVerb(word) && !/^(?:de|d|of)$/.test(before)) ||
  (before.endsWith('s') && before.length > 3 && BASE.has(word));

/** Verb forms that conditions and wishes are made of: French conditionals. Imperfects of verbs in -rer are the price. */
export const isConditional = (word: string) =>
  /^.{2,}(?:rais|rait|rions|riez|raient)$/.test(word) &&
  !/^(?:vrais|frais|francais|entrait|montrait|mourait|courait|tirait|rentrait|adorais|adorait|preferais|preferait)$/.test(
    word,
  );
