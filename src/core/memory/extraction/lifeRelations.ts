import { MONTHS } from '../../support/text/calendar.ts';
import { type Relation, relation } from './relation.ts';

const MONTH = MONTHS.join('|');

const PLACE =
  '(?: (?:a|au|aux|en|dans|pres de|pres d|vers|sur|sur les|chez|du cote de|in|at|near|on|to|into|outside|close to|around|down in|up in|over in|out in|back in|back to|up to|down to|over to|just outside))';
const NO_WHO = /^(?:ca|cela|it|that|this|celui|comment|how)(?= |$)/;

/** Trades that no ending gives away. */
const TRADES =
  'infirmiere?|aide soignante?|medecin|docteur|chirurgien(?:ne)?|dentiste|kine|sage femme|pharmacien(?:ne)?|veterinaire|prof|professeure?|instit|institutrice|instituteur|enseignante?|maitresse|directeur|directrice|ingenieure?|dev|developpeuse|developpeur|informaticien(?:ne)?|graphiste|designer|architecte|avocate?|notaire|juge|comptable|banquiere?|secretaire|assistante?(?: \\w+)?|vendeuse|vendeur|caissiere?|serveuse|serveur|cuisiniere?|chef(?:fe)? (?!de famille)\\w+|boulangere?|patissiere?|bouchere?|coiffeuse|coiffeur|estheticienne|fleuriste|libraire|bibliothecaire|agricultrice|agriculteur|paysan(?:ne)?|eleveuse|eleveur|maraichere?|viticultrice|viticulteur|vigneron(?:ne)?|apicultrice|apiculteur|jardiniere?|paysagiste|menuisiere?|charpentiere?|plombiere?|electricien(?:ne)?|macon(?:ne)?|peintre|plaquiste|garagiste|mecano|mecanicien(?:ne)?|chauffeur|chauffeuse|routiere?|livreuse|livreur|conductrice|conducteur|cheminote?|facteur|factrice|postiere?|policiere?|policier|gendarme|pompiere?|pompier|militaire|soldate?|marin|pecheuse|pecheur|pilote|steward|hotesse|journaliste|ecrivaine?|autrice|auteur|traductrice|traducteur|interprete|musicien(?:ne)?|photographe|comedien(?:ne)?|artiste|artisane?|couturiere?|potiere?|consultante?|commerciale?|manager|cadre|ouvriere?|technicien(?:ne)?|chercheuse|chercheur|doctorante?|thesarde?|lyceen(?:ne)?|collegien(?:ne)?|etudiante?|apprentie?|stagiaire|alternante?|interimaire|fonctionnaire|independante?|freelance|auto entrepreneuse|auto entrepreneur|entrepreneuse|entrepreneur|benevole|retraite?e?|a la retraite|au chomage|chomeuse|chomeur|mere au foyer|pere au foyer|femme au foyer|homme au foyer|psy|psychologue|orthophoniste|educatrice|educateur|animatrice|animateur|nounou|assistante maternelle|cariste|magasiniere?|gardien(?:ne)?|concierge|menuisier|osteopathe|data \\w+|chef de projet|cheffe de projet|responsable|charge(?:e)? de \\w+|agent(?:e)? \\w+|guide|moniteur|monitrice|coach|entraineuse|entraineur|geometre|urbaniste|biologiste|chimiste|physicien(?:ne)?|ergotherapeute|opticien(?:ne)?|prothesiste|ambulanciere?|ambulancier|brancardiere?|aide a domicile|auxiliaire(?: de)? \\w+|agente? immobiliere?|agent immobilier|community manager|product owner|scrum master';
const ENGLISH_TRADES =
  '(?:an? (?:\\w+ ){0,3}?|)(?:mailman|massage therapist|beekeeper|nurse|doctor|surgeon|dentist|vet|midwife|carer|caregiver|paramedic|pharmacist|physio|physiotherapist|therapist|psychologist|teacher|professor|lecturer|tutor|student|undergrad|phd student|postdoc|researcher|scientist|engineer|developer|dev|programmer|coder|designer|architect|lawyer|solicitor|barrister|judge|accountant|banker|analyst|consultant|manager|director|secretary|receptionist|assistant|cashier|waiter|waitress|bartender|barista|chef|cook|baker|butcher|hairdresser|barber|florist|librarian|bookseller|farmer|shepherd|beekeeper|gardener|landscaper|carpenter|joiner|plumber|electrician|builder|bricklayer|painter|decorator|roofer|welder|mechanic|driver|trucker|courier|pilot|flight attendant|sailor|fisherman|postman|policeman|policewoman|police officer|officer|firefighter|soldier|veteran|journalist|reporter|writer|author|editor|translator|interpreter|musician|photographer|actor|actress|artist|potter|seamstress|tailor|freelancer|contractor|entrepreneur|founder|cofounder|trainee|apprentice|intern|volunteer|pensioner|retiree|housewife|stay at home (?:mum|mom|dad|parent)|social worker|childminder|nanny|cleaner|caretaker|janitor|clerk|civil servant|technician|chemist|biologist|physicist|geologist|optician|estate agent|realtor|salesman|saleswoman|sales rep|salesperson|supervisor|coach|trainer|instructor|guide|priest|vicar|pastor|rabbi|imam|nun|monk|plasterer|radiographer|data \\w+|product owner|project lead|team lead|tech lead|shopkeeper|landlord|beautician|dispatcher|teaching assistant|speech therapist|occupational therapist)s?';

/** Names, homes, work, couples, births, ages, addresses: what is said of oneself and one's people. */
export const lifeRelations: readonly Relation[] = [
  relation('(?:suis|est|sommes|passee?|passe) chez', 'identity', 0.7, 'name', {
    gives: 'employer',
    unless:
      /(?:^| )(?:ce|cet|cette|demain|aujourdhui|jusqu|pour|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)(?= |$)/,
  }),
  relation(
    '(?:suis|est|sommes|sont) (?:d origine |a moitie )?(?!(?:mauvais|mauvaise|bourgeois|quotidien|combien|moyen|ancien)(?= |$))(?:\\w+(?:aise?|oise?|ienne?|aines?|ains?)|bretonne?|basque|corse|belge|suisse|russe|turque?|espagnole?|grecque?|allemande?|arabe|kabyle|catalane?|flamande?|picarde?|normande?|savoyarde?|auvergnate?|polonaise|serbe|croate|bulgare|tcheque|slovaque|danoise|suedoise?)s?(?=$| (?:,|par|et|mais|d origine|de|du|depuis))',
    'identity',
    0.7,
    'nothing',
    { isHuman: true },
  ),
  relation(
    "(?:am|is|are|'s) (?:half |originally )?(?:\\w+(?:ish|ian|ese)|welsh|french|german|dutch|swiss|greek|american|mexican|korean|german|czech|thai|iraqi|pakistani|israeli|basque|catalan)(?=$| (?:,|by|and|but|on|from|originally))",
    'identity',
    0.7,
    'nothing',
    { isHuman: true, unless: /^on / },
  ),
  relation(
    '(?:tiens|tient|tenons|gere|gerons|run|runs|manage|manages|own|owns|possede|possedons|chair|chairs|preside) (?:a|an|the|my|our|un|une|le|la|mon|ma|notre|deux|two) (?!script|scripts|test|tests|command|query|program|code|loop|bath|errand|fever|temperature|risk|commande|programme|risque|coup|bit|little|mile)\\w+',
    'fact',
    0.7,
    'nothing',
    { isHuman: true },
  ),
  relation(
    '(?:m occupe|s occupe|nous occupons|look after|looks after|take care of|takes care of|care for|cares for) (?:de la|de l|du|des|de|d|my|our|the)?',
    'fact',
    0.6,
    'object',
    { isHuman: true, unless: /^(?:ca|cela|it|this|that|tout)/ },
  ),
  relation(
    `(?:ne|nee|born)(?: a \\w+)?(?: le| on| the| on the)?(?= (?:\\d{1,2}(?:er|st|nd|rd|th)? (?:of )?(?:${MONTH})|(?:${MONTH}) \\d))`,
    'identity',
    0.8,
    'date',
    { gives: 'birthday', isHuman: true },
  ),
  relation(
    '(?:has|have|fete|fetes|celebrate|celebrates) (?:my|his|her|their|mon|son) (?:birthday|anniversaire)(?: le| on| in| en| the| every year| tous les ans)*',
    'identity',
    0.8,
    'date',
    { gives: 'birthday', isHuman: true },
  ),
  relation(
    "(?:est|sommes|sont|are|'re|is|family of|a family of|une famille de) (?:a family of |une famille de )?(?:\\d+|deux|trois|quatre|cinq|six|sept|huit|two|three|four|five|six|seven|eight)(?: (?:a la maison|at home|in the house|of us|enfants|personnes|people|freres et soeurs|siblings|in the flat|dans l appart|a table))",
    'fact',
    0.6,
    'nothing',
    { isHuman: true },
  ),
  relation(
    '(?:en (?:terminale|premiere|seconde|licence|master|prepa|bts|dut|but|these|cp|ce1|ce2|cm1|cm2|sixieme|cinquieme|quatrieme|troisieme|6e|5e|4e|3e|\\w+ annee|l1|l2|l3|m1|m2|fac|ecole|internat|alternance|stage|apprentissage|maternelle|petite section|moyenne section|grande section)|a la fac|a l universite|au lycee|au college|in (?:year|grade|my|her|his) (?:\\w+)(?: year| grade)?|in (?:first|second|third|fourth|final|sixth|primary|secondary|high|nursery|middle) (?:year|grade|form|school)|at (?:uni|university|college|school|nursery|sixth form)|a (?:first|second|third|final|fourth)[ -]year|membre (?:de|du|d|des)|a member of|member of|president|presidente|presidente? (?:de|du|d)|tresoriere?|treasurer|secretaire de|(?:sit |sits |serve |serves )?on the (?:\\w+ )?(?:board|committee|council)|siege au|au bureau de|delegue|deleguee|elue?|conseillere? municipale?|benevole|volunteer|reserviste|capitaine de|captain of|in charge of|chargee? de|en charge de|responsable de)',
    'fact',
    0.6,
    'nothing',
    { isHuman: true },
  ),
  // Names.
  relation('m appelle|s appelle|appelle|appelles|nomme|prenomme|prenomment', 'identity', 1, 'name', {
    gives: 'name',
    unless: NO_WHO,
    isHuman: true,
  }),
  relation('called|named', 'identity', 1, 'name', { gives: 'name', isHuman: true }),
  relation(
    'go by|goes by|known as|aka|surnomme|surnommee|connu sous le nom de|connue sous le nom de',
    'identity',
    0.9,
    'name',
    { isHuman: true },
  ),
  // Homes.
  relation(
    `(?:habite|habites|habitons|habitent|habiter|habiterai|vis|vit|vivons|vivent|vivre|reside|residons|resident|loge|logeons|logent|live|lives|living|reside|resides|lived|based|base|basee|domicilie|domiciliee|installe|installee|installes|settled(?! on)|relocated|stationed|emigrated|emigre|migrated|expatrie|expatriee)(?: (?:seule?|alone|ensemble|together|with \\w+ \\w+|avec \\w+ \\w+))?${PLACE}`,
    'identity',
    0.9,
    'place',
    {
      unless:
        /^(?:mon lit|my (?:bed|head|car|phone|own)|coffee|caffeine|toast|noodles|pasta|hope|borrowed|un (?:enfer|reve|cauchemar)|a (?:dream|nightmare|bubble)|la peur|le (?:passe|present)|the (?:moment|past|edge))/,
      gives: 'home',
      isHuman: true,
    },
  ),
  relation('habite|habites|habitons|habitent|habiter', 'identity', 0.9, 'place', {
    gives: 'home',
    isHuman: true,
  }),
  relation(
    `(?:demenage|demenages|demenageons|demenagent|demenager|demenagee|emmenage|emmenager|emmenageons|emmenages|installe|installer|installee|installons|installent|pose mes valises|move|moves|moving|moved|settle|settling|settled(?! on)|emigrate|emigrated|emigre|relocate|relocates|relocated|relocating)(?: hier| yesterday| last \\w+| en \\w+| in \\w+)?(?: houses?| flats?| out| de \\S+ | from \\S+ )?${PLACE}`,
    'identity',
    0.9,
    'place',
    { gives: 'home', isHuman: true, unless: /^(?:bed|sleep|tears|it|the next|another topic|autre chose)/ },
  ),
  relation(
    '(?:demenage|demenages|demenageons|demenagent|demenager|emmenage|emmenager|emmenageons|move|moves|moving|moved)',
    'event',
    0.7,
    'date',
    { isHuman: true },
  ),
  relation(
    `(?:habitais|habitait|habitions|vivais|vivait|vivions|lived|residais|habite|vecu)(?: \\w+ (?:ans|years|months|mois))?${PLACE}`,
    'fact',
    0.6,
    'place',
    { isHuman: true },
  ),
  relation(
    '(?:grew up|grow up|grandi|raised|brought up|born|ne|nee|originaire|come from|comes from|viens|vient|venons|from|hail from|native)(?: and raised)?(?: (?:a|au|aux|en|in|from|de|du|d|des|dans|on|near|pres de))?',
    'identity',
    0.8,
    'name',
    {
      isHuman: true,
      unless: /^(?:de (?:finir|voir|recevoir|lire|manger|passer|me|rentrer|commencer)|work|home)/,
    },
  ),
  relation(
    '(?:vis|vit|vivons|vivent|habite|habitons|habitent|live|lives|living) (?:seule?|seuls|ensemble|alone|together|by myself|on my own|avec|with|chez (?:mes|ma|mon)|en (?:coloc|colocation|couple|famille|camping car|fauteuil)|separes?|off grid|on a (?:farm|boat|houseboat))',
    'fact',
    0.6,
    'nothing',
    { isHuman: true },
  ),
  relation('quitte|quitter|left|leaving|leave', 'event', 0.6, 'name', { isHuman: true }),
  // Work.
  relation(
    '(?:earns? (?:my|his|her|their) living|gagne (?:ma|sa) vie|travaille|travailles|travaillons|travaillent|travailler|taffe|taffes|taffent|bosse|bosses|bossons|bossent|bosser|work|works|working|worked|employed|employee|embauche|embauchee|recrute|recrutee|engage|engagee|salarie|salariee|en poste|en cdi|en cdd|en stage|en alternance|en apprentissage|interning|apprenticed|hired|recruited) (?:chez|pour|a|au|aux|dans|for|at|by|with|par|in|en tant que|comme|as|de|d|de la|de l)',
    'identity',
    0.8,
    'object',
    {
      gives: 'employer',
      isHuman: true,
      unless:
        /^(?:ca|cela|it|this|that|la maison|un projet|the garden|progress|home(?= |$)|fond|me (?:lever|coucher))/,
    },
  ),
  relation(
    '(?:commence|commences|commencons|commencent|commencer|demarre|debute|rejoint|rejoins|rejoindre|rejoignons|pris un poste|prends un poste|prends mon poste|start|starts|starting|started|join|joins|joining|joined|signe|signed)(?: un (?:nouveau )?(?:boulot|travail|poste|job|stage|cdi|cdd)| a new (?:job|role|position)| mon (?:nouveau )?(?:boulot|travail|poste|stage)| my new job| a job| work| un contrat)? (?:chez|pour|au|a|at|with|for|as|comme|en tant que)',
    'identity',
    0.8,
    'object',
    {
      gives: 'employer',
      isHuman: true,
      unless:
        /^(?:moi|nous|mieux|me|home|\d|cp|ce\d|cm\d|college|lycee|maternelle|creche|school|(?:the )?(?:college|lycee|university|uni|fac)|la fac|l universite)/,
    },
  ),
  relation(
    '(?:join|joins|joining|joined|rejoint|rejoins|rejoindre|integre|integrer)',
    'identity',
    0.7,
    'name',
    { gives: 'employer', isHuman: true, unless: /^(?:us|me|you|a|the|le|la|une?)(?= |$)/ },
  ),
  relation(
    '(?:quitte|quitter|demissionne|demissionner|quit|quits|resigned|left|leaving|leave|licencie|licenciee|vire|viree|laid off|fired|sacked|made redundant|perdu (?:mon|son) (?:emploi|travail|boulot|poste)|lost (?:my|his|her) job|retired|retiring|retires|pris ma retraite|prends ma retraite|pris sa retraite|prend sa retraite|prendre (?:ma|sa) retraite|partie? (?:a|en) (?:la )?retraite|pars a la retraite|part a la retraite|plus de travail|out of work|unemployed|retraite|retraitee)(?: (?:de|from|my job|mon (?:boulot|travail|job|poste|emploi)|his job|her job|son (?:boulot|travail|job|poste)))?',
    'event',
    0.8,
    'nothing',
    {
      isHuman: true,
      unless:
        /^(?:it|la (?:salle|maison ce)|home|the (?:house|light|door|oven)|my (?:keys|phone|umbrella|wallet|bag)|le (?:four|gaz)|a |me|work (?:early|late))/,
    },
  ),
  relation(
    '(?:loue|louons|louent|rent|rents|renting|achete|bought|own) (?:un|une|a|an|the|my|notre|our) (?:\\w+ ){0,2}?(?:t\\d|f\\d|studio|appart|appartement|maison|flat|house|apartment|chambre|room|cottage|place)(?: \\w+){0,4} (?:a|in|en|dans)',
    'identity',
    0.8,
    'place',
    { gives: 'home' },
  ),
  relation(`(?:${TRADES})`, 'identity', 0.8, 'nothing', { gives: 'job', isHuman: true }),
  relation(`${ENGLISH_TRADES}`, 'identity', 0.8, 'nothing', { gives: 'job', isHuman: true }),
  relation(
    '(?:devenue?|devenir|deviens|devient|become|becomes|became|becoming|promu|promue|promoted to|nommee?|passee? (?:chef|cadre|responsable)|formation de|form(?:e|ation) (?:comme|pour)|training (?:as|to be)|train to be|qualified as|reconverti|reconvertie|retrain(?:ed|ing) as|trained as)',
    'identity',
    0.7,
    'object',
    {
      gives: 'job',
      isHuman: true,
      unless: /^(?:fou|folle|impossible|crazy|really|too|trop|urgent|un peu|tired)/,
    },
  ),
  relation(
    '(?:work|works|working|travaille|travaillons|bosse|bossons) (?:nights|days|weekends|evenings|shifts|de nuit|de jour|full|part|from|freelance|en|le|les|la|remotely|on call|two|three|four|\\d|deux|trois|quatre|mainly)',
    'fact',
    0.6,
    'nothing',
    { isHuman: true },
  ),
  relation(
    '(?:promoted|promu|promue|eu une promotion|got the job|decroche (?:le|un|mon)|decroche|eu le poste|got (?:a|my) (?:promotion|raise|new job)|change de (?:boite|employeur|job|boulot|travail|metier|poste|ecole|service)|changed jobs|trouve un (?:boulot|travail|job|poste|stage)|found a (?:new )?job|a mon compte|self employed|freelance|freelancing|en freelance|on maternity leave|on sick leave|en conge (?:mat|maternite|parental|paternite)|en conge maladie|en arret(?: maladie| de travail)?|en mi temps|a mi temps|a temps partiel|part time|full time|de nuit|night shifts?|nights|en horaires decales|en teletravail|from home|remotely|remote)',
    'fact',
    0.7,
    'nothing',
    { isHuman: true },
  ),
  // Couples.
  relation(
    '(?:remarie|remariee|remaries|remarried|marie|mariee|maries|marier|marions|marient|married|marrying|marry|get married|getting married|gets married|epouse|epouser|fiance|fiancee|fiances|engaged|pacse|pacsee|pacses|pacser|en couple|dating|sors|sort|seeing|in a relationship|going out)(?: (?:a|avec|to|with))?',
    'relation',
    0.8,
    'nothing',
    {
      gives: 'partner',
      isHuman: true,
      unless:
        /^(?:du|de|d|les|la|le|ce soir|au|in a|ces|my (?:doctor|job|work|phone)|mon (?:boulot|travail|lit)|the doctor|d un|souvent|beaucoup|pas)(?= |$)/,
    },
  ),
  relation(
    '(?:divorce|divorcee|divorces|divorcer|divorcing|divorced|separe|separee|separes|separer|separated|separating|broke up|broken up|split up|celibataire|single|veuf|veuve|widow|widower|widowed|a widow|a widower|celibataires|plus ensemble)',
    'relation',
    0.8,
    'nothing',
    { isHuman: true },
  ),
  // Births, ages, deaths.
  relation(
    '(?:ne|nee|nes|born|accouche|accouchee|accoucher|gave birth|given birth|give birth|giving birth|due|had a baby|had (?:a|her|his|our) (?:baby|first|second|son|daughter|boy|girl|twins)|eu (?:un|une|des|notre|son) (?:petit |petite |deuxieme |premier |second |troisieme )?(?:bebe|fille|garcon|fils|jumeaux|jumelles|enfant)|attend (?:un|une|des|son|leur)|attends (?:un|une|des|mon) (?:bebe|enfant|garcon|fille|petit|petite|jumeaux|heureux)|attendons (?:un|une|des|notre) \\w+|expecting|having a (?:baby|boy|girl)|devenue? (?:tante|oncle|mamie|papi|papa|maman|pere|mere|grand mere|grand pere|tonton|tata|parrain|marraine)|enceinte|pregnant|adopte|adopter|adopted|adopting)',
    'event',
    0.8,
    'nothing',
    {
      isHuman: true,
      unless:
        /^(?:une attitude|a policy|to (?:the|a)|un (?:colis|bus|message|appel|mail|taxi)|a (?:call|parcel|package|delivery|bus))/,
    },
  ),
  relation(
    '(?:(?:\\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze|seize|vingt|trente|quarante|cinquante|soixante) (?:ans|years? old|yo|months? old|mois|annees|weeks old)|\\d{1,3}(?! ?(?:min|h|km|kg|eur|dollars|people|personnes|%|percent|am|pm|minutes|hours|heures|euros|kilos|metres|cm))(?=$| (?:,|in|on|this|next|and|et|years|en)))',
    'identity',
    0.7,
    'nothing',
    { gives: 'age', isHuman: true },
  ),
  relation(
    '(?:turn|turns|turned|turning|fete (?:mes|ses)|fetons (?:mes|ses|nos)|feter (?:mes|ses)|aurai|aura|aurons|auront|eu) (?:\\d{1,3}|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|deux|trois|quatre|cinq|sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze|seize|vingt|trente|quarante|cinquante|soixante)',
    'event',
    0.7,
    'nothing',
    {
      gives: 'age',
      isHuman: true,
      unless: /^(?:euros|personnes|minutes|fois|jours|heures|messages|sur)/,
    },
  ),
  relation(
    '(?:mort|morte|meurt|decede|decedee|disparu|disparue|died|dead|passed away|passed on|enterre|enterree|buried|lost (?:my|our|his|her) (?:\\w+)|perdu (?:mon|ma|notre|nos|son|sa) (?:\\w+)|orphelin|orpheline|hospitalise|hospitalisee|a l hopital|in hospital|in the hospital|en maison de retraite|en ehpad|in a care home|in care)',
    'event',
    0.8,
    'nothing',
    {
      isHuman: true,
      unless: /^(?:de (?:rire|fatigue|faim|soif|peur|honte|trouille)|tired|battery|keys|phone|cles)/,
    },
  ),
];
