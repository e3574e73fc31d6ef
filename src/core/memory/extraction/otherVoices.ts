/** Patterns over the folded words of a sentence, joined by spaces. */
const holds = (...parts: string[]) => new RegExp(`(?:^| )(?:${parts.join('|')})(?= |$)`);

/** « C’est la phrase témoin », "that's the opening line": what stands beside it is a text, whoever speaks in it. */
const CALLS_TEXT = holds(
  "(?:c est|ce sont|voila|voici|it s|it is|it 's|that 's|that s|that is|this is|is) (?:le|la|l|les|un|une|mon|ma|the|a|an|my|one of the) (?:\\S+ ){0,2}?(?:phrase|replique|incipit|paragraphe|premiere ligne|extrait|citation|couplet|refrain|accroche|brouillon|dernier mot|sentence|first line|opening line|closing line|next line|last line|opening|paragraph|excerpt|passage|lyrics?|caption|draft|last words?|genre de (?:messages?|posts?|textes?|phrases?)|(?:sort|kind) of (?:post|message|text|thing people)|point de depart de (?:mon|ma)|debut de (?:mon|ma) (?:roman|nouvelle|histoire|piece)|start of my (?:novel|story|play|script))",
  '(?:pour|for) (?:le|la|l|un|une|mon|ma|mes|notre|the|a|an|my|our) (?:\\S+ )?(?:roman|nouvelle|piece de theatre|scenario|sketch|saynete|jdr|jeu de role|atelier d ecriture|concours d eloquence|dictee|novel|short story|screenplay|stage play|role ?play|creative writing|mooting|case study|etude de cas)',
);
/** « Je soussignée … », "we the undersigned": a paper, where it names who signs. */
const SWEARS = holds(
  '(?:je|nous) soussigne(?:e|s|es)?|(?:i|we) the undersigned|hereby (?:declare|sell|certify|agree|authori[sz]e|confirm|resign|appoint)|atteste(?:nt|ns)? sur (?:l )?honneur|pour (?:servir et )?valoir ce que de droit|to whom it may concern',
);
/** « Étude de cas n° 3. », "Trainee solicitor task: …": what is headed so is an exercise. */
const EXERCISE =
  /^(?:\S+ ){0,3}?(?:etude de cas|cas (?:clinique|pratique)|concours blanc|examen blanc|oral blanc|sujet d examen|case study|mock (?:case|exam|trial)|exam question|practice question|\S+ task|mission briefing)(?: n \d+| \d+| for \S+ \S+ \S+)?(?: :|$)|^(?:q|ex|exo|exercice|exercise|probleme|problem)(?: n)? ?\d{1,3}(?: :|$)/;
/** « Lis-moi ça à voix haute », "let me practise": a text or a part comes with it. */
const REHEARSES = holds(
  'a voix haute|out loud|read aloud|aloud please|(?:let me|laisse moi|je veux|i want to) (?:practi[sc]e|rehearse|m entrainer|repeter)(?: my| mon| ma)?(?: \\S+)?(?= :|$)',
);
/** « Allô mamie ? », "Hello gran?": an assistant is nobody's grandmother. */
const GREETS_KIN =
  /^(?:et |and )?(?:allo|hello|hi|hey|coucou|salut|bonjour|bonsoir|dear|chere?|cherie?) (?:ma |mon |my )?(?:papa|maman|mamie|mamy|papi|papy|mum|mummy|mom|mommy|dad|daddy|gran|granny|grandma|grandpa|grandad|nan|nana|tonton|tata|tatie|auntie?|uncle)(?= |$)/;
/** « … , monsieur le juge », "Your Honour": somebody else is spoken to. */
const ADDRESSES = holds(
  'monsieur le (?:juge|president|directeur|maire|ministre|commissaire|proviseur)|madame la (?:juge|presidente|directrice|maire|ministre|commissaire|proviseure)|votre honneur|mesdames et messieurs|ladies and gentlemen|your (?:honou?r|majesty|excellency|highness)|members of the jury',
);
/** « Ne retiens rien de ce qui suit », "don't remember any of this". */
const KEEPS_NOTHING = holds(
  "(?:ne |n )?(?:retiens|retenez|memorise|memorisez|enregistre|note|garde) (?:surtout |absolument )?(?:rien|pas (?:ca|ce qui suit|la suite))|(?:do not|don t|don 't) (?:remember|memori[sz]e|save|store|keep|record) (?:any of )?(?:this|that|it|what follows|anything)|remember none of (?:this|it)|je teste (?:juste|seulement|un|ton|le)|(?:i am|i m|i 'm) (?:just |only )?testing",
);

/**
 * Does a message tell that what it holds is not said by its author: that it is a text, a paper, an exercise or a part, that somebody else is
 * spoken to, or that nothing of it is to be kept?
 * @param sentences the folded words of each, joined by spaces
 */
export const isOtherVoice = (sentences: readonly string[]): boolean =>
  GREETS_KIN.test(sentences[0] ?? '') ||
  sentences.some((plain) =>
    [CALLS_TEXT, SWEARS, EXERCISE, REHEARSES, ADDRESSES, KEEPS_NOTHING].some((pattern) =>
      pattern.test(plain),
    ),
  );
