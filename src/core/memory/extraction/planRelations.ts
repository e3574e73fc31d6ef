import { type Relation, relation } from './relation.ts';

const TRIVIAL = /^(?:de (?:te|vous|l|lui)|to (?:ask|tell|write|you)|ca|it|that|this|not|pas)(?= |$)/;

/** Decisions, goals, projects, journeys and appointments of the user and their people. */
export const planRelations: readonly Relation[] = [
  relation('(?:vise|visons|aim for|aim at|aiming for|aiming at|aiming to)', 'goal', 0.6, 'object', {
    isHuman: true,
  }),
  relation(
    '(?:decide|decidee|decides|decidons|decided|deciding|choisi|choisie|choisis|choisissons|chosen|chose|choose|opte|opter|optons|opted|picked|pick|settled on|settled for|agreed|agree|tranche|vote|voted|resolu|resolved|retenu|retenons|valide|validee|convenu|made up my mind|made the decision|made a decision|pris la decision|prends la decision|went with|going with|go with|gone with|go for|going for|gone for|went for|mis d accord|mises d accord|sur le point de|renonce|renonce a|renoncons|abandonne|abandonnons|annule|annulons|annuler|cancelled|canceled|cancel|cancelling|calling off|called off|reporte|reportons|reporter|decale|decalons|decaler|avance|postponed|pushed|moved|rescheduled|rebooked|rule out|ruled out|ditched|sticking with|stick with|stay with|staying with|keeping|gardons|partons sur|pars sur|part sur|partir sur|partis sur|parti sur|restons sur|reste sur|laisse tomber|laissons tomber|laissee? tomber|mis d accord sur|jete notre devolu|sign up for|signe pour|went ahead with)',
    'decision',
    0.7,
    'object',
    {
      unless: new RegExp(
        `${TRIVIAL.source}|^(?:up|off|over|down|a (?:walk|run|swim|ride|drink|coffee|drive|hike|nap)|the (?:kids|phone|ball)|mon tel|my phone|la cle|un oeil|an eye|running|courir|tomber)(?= |$)`,
      ),
    },
  ),
  relation(
    '(?:veux|veut|voulons|veulent|want|wants|souhaite|souhaitons|aim|aims|aiming|vise|visons|intend|intends|hope|compte|comptons|prevois|prevoit|prevoyons|ai pour (?:but|objectif|projet)|me suis (?:fixe|donne|promis)|fixe comme objectif|set myself|me promets) (?:de |d |to |a )?(?:apprendre|perdre|prendre|courir|arreter|devenir|finir|terminer|economiser|mettre de cote|obtenir|passer|lire|ecrire|publier|lancer|ouvrir|reprendre|acheter|construire|traverser|monter|grimper|faire (?:un|une|le|la|mon)|reussir|learn|lose|run|quit|stop|become|finish|save|pay off|read|write|publish|launch|open|buy|build|cross|climb|get (?:my|a|back|into|under)|pass|complete|cut|reach|swim|hike|do (?:a|my|the)|retire|move|visit|start|train)',
    'goal',
    0.6,
    'particular',
    { isHuman: true },
  ),
  relation(
    '(?:prepare|preparons|preparing|train|training|train|entraine|entrainons|revise|revisons|revising|revise|studying|save|saving|economise|economisons|mets de l argent de cote|saving up|working towards|work towards|aiming) (?:pour|for|mon|ma|le|la|l|un|une|my|a|the|notre|our|to|mes|towards)',
    'goal',
    0.6,
    'object',
    {
      isHuman: true,
      unless:
        /^(?:dinner|lunch|diner|repas|the table|a (?:snack|sandwich)|a manger|a cafe|un (?:cafe|the)|le (?:diner|dejeuner|repas)|a (?:cake|pie)|valise)/,
    },
  ),
  relation(
    '(?:travaille|travaillons|travailles|bosse|bossons|work|working|works) (?:en ce moment )?(?:sur|on)',
    'goal',
    0.6,
    'particular',
    {
      isHuman: true,
      unless:
        /^(?:it|ca|that|this|(?:un|une|a|an|the|le|la|my|mon) (?:tableau|spreadsheet|script|exercice|exercise|fonction|function|fichier|file|texte|text|presentation|slide|powerpoint|dissertation|essay|devoir))(?= |$)/,
    },
  ),
  relation(
    '(?:ecris|ecrivons|ecrit|ecrire|redige|redigeons|write|writing|writes|developpe|developpons|developing|build|building|builds|construis|construisons|code|codons|coding|designing|create|creating|cree|creons|fabrique|fabriquons|retape|retapons|restore|restoring|restaure|restaurons|renove|renovons|renovating|organise|organisons|organising|organizing|prepare|preparons|preparing|planning|plan|monte|montons|making|lance|lancons|launch|launching|tourne|tournons|filming|enregistre|recording|refais|refaisons|redoing|remodelling|translating|composing|compose|curating) (?:actuellement )?(?:un|une|mon|ma|mes|notre|nos|le|la|l|des|a|an|my|our|the|own)',
    'goal',
    0.6,
    'particular',
    {
      isHuman: true,
      unless:
        /^(?:mail|e mail|email|texte|script|message|lettre|letter|text|list|liste|sentence|phrase|poem|poeme|cake|gateau|dinner|lunch|breakfast|tarte|quiche|soup|soupe|cafe|coffee|function|fonction|regex|query|requete|table)/,
    },
  ),
  relation(
    '(?:ecris|ecrit|redige|write|writing|writes|working on|travaille sur|prepare|preparing|finis|finishing|termine) (?:un|une|mon|ma|le|la|l|a|an|my|the|his|her|son|sa) (?:\\w+ ){0,2}?(?:roman|livre|these|memoire|recueil|album|novel|book|thesis|dissertation|memoir|screenplay|phd|cookbook|exposition|exhibition|documentaire|documentary)',
    'goal',
    0.7,
    'nothing',
    { isHuman: true },
  ),
  relation(
    '(?:pars|part|partons|partent|partir|partirai|vais|va|allons|aller|rentre|rentrons|reviens|revient|revenons|arrive|arrivons|arrivent|vole|prends|prend|prenons|prendre|reserve|reservons|reserver|passe|passons|visite|visitons|retourne|retournons|emmene|emmenons|leave|leaving|leaves|go|going|goes|fly|flying|flies|travel|travelling|traveling|travels|head|heading|heads|drive|driving|visit|visiting|visits|book|booked|booking|arrive|arriving|arrives|come|coming|comes|return|returning|get back|back|land|landing|stay|staying|stays|spend|spending|take|taking|catch|catching|off|away|flight)',
    'event',
    0.6,
    'date',
    {
      isHuman: true,
      unless: /^(?:to bed|me coucher|dormir|manger|au lit|home now|faire (?:les )?courses|shopping)/,
    },
  ),
  relation(
    '(?:ai|a|avons|aurai|aura|ont|avoir|have|has|having|got|get) (?:(?:un|une|mon|ma|le|la|l|notre|des|a|an|my|the|our|his|her|son|sa|big|gros|grosse|nouveau|nouvelle|autre|another|new|prochain|prochaine|next|first|premier|dernier|last|final|deux|two|three|trois|petit|small) )*(?:\\w+ ){0,3}?(?:rendez vous|reunion|entretien|examen|exam|exams|partiel|concours|oral|soutenance|operation|vol|train|cours|match|concert|spectacle|mariage|bapteme|enterrement|anniversaire|formation|seance|visite|controle|rentree|echeance|deadline|audience|livraison|irm|scanner|scan|echographie|prise de sang|bilan|appointment|meeting|interview|test|viva|surgery|flight|class|lesson|recital|game|race|wedding|christening|funeral|party|training|session|checkup|check up|delivery|hearing|court date|presentation|review|conference|workshop|shift|gig|audition|ultrasound|mri|biopsy|blood test|inspection|viewing|dentist|call|reservation|booking|permanence|garde|tickets|billets|places|conseil|demo|standup|sortie|assemblee|ag|ap|bac|tournoi|tournament|competition|marathon|visite medicale|plans|vacances|conges|holiday|holidays|vacation|dinner|date)',
    'event',
    0.7,
    'date',
    { isHuman: true },
  ),
];

/** What is said of the user's things: "my locker number is 212", « notre chaudière a été changée en 2021 ». */
export const TRIVIAL_THING =
  /^(?:(?:\S+ )?(?:avis|question|questions|point|idee|idees|idea|problem|probleme|souci|issue|guess|bad|god|goodness|dieu|texte|text|phrase|sentence|mail|email draft|code source|script|fonction|function|erreur|error|faute|fault|tete|head|feelings|reaction|day|journee|matinee|soiree|morning|evening|night|nuit|weekend|week end|week|semaine|semaines|ordi|computer|laptop|pc|connexion|internet|wi fi|brain|cerveau|oreilles|heart|coeur|turn|tour|reponse|answer|message|impression|opinion|view|understanding|pleasure|plaisir|dream|reve|character|personnage|avatar|favour|favor|mind|memory|memoire est|patience|phone is dead|battery|batterie|reveil|alarm clock|mistake|erreur|humeur|mood|hypothese|hypothesis|theory|theorie|argument|exercice|exercise|query|requete|prompt|conclusion|main concern|concern|worry|inquietude))(?= |$)/;

/** Things of which a date is worth keeping, whoever has them. */
export const APPOINTMENT =
  /(?:^| )(?:repetition|rehearsal|chorale|choir|entrainement|practice|training|club|atelier|marche|market|permanence|messe|mass|collecte|ramassage|pickup|lecture|seminar|rendez vous|reunion|entretien|examen|exam|partiels?|concours|oral|soutenance|operation|vol|train|match|concert|spectacle|mariage|bapteme|enterrement|obseques|anniversaire|fete|formation|visite|controle technique|rentree|echeance|deadline|due date|date limite|audience|livraison|demenagement|bail|loyer|rent|lease|contrat|contract|appointment|meeting|interview|test|viva|surgery|flight|plane|recital|game|race|wedding|christening|funeral|birthday|party|delivery|hearing|presentation|conference|workshop|gig|audition|move|moving day|reservation|booking|conseil|demo|livrable|rendu|release|dissertation|essay|memoire|devoir|point|physio|kine|dentist|dentiste|check in|projet|project|release|lancement|launch|assemblee|tournoi|tournament|marathon|vacances|holiday|holidays|trip|voyage|sejour|travaux|chantier|works|renovation|garantie|warranty|passeport|passport|assurance|insurance|abonnement|subscription|visa|permis|vaccin|vaccination|rappel|booster|cours|class|lesson|session|seance|inspection|viewing|closing|signature|compromis|notaire|kick off|kickoff|sprint|remise|expo|exposition|exhibition|barbecue|bbq|diner|dinner|repas|retraite|camp|stage|colo|gala|kermesse|brocante|vide grenier|poubelles|bins|thesis|these|report|rapport|dossier|submission|bus|ferry|checkup|scan|echographie|due)(?= |$)/;

/** Codes and numbers to keep, of the user's own things or of those around them. */
export const CODE =
  /(?:^| )(?:code|codes|digicode|mot de passe|password|passcode|pin|wifi|wi fi|ssid|identifiant|login|username|combination|combinaison|cadenas|padlock|numero|number|immatriculation|plaque|plate|registration|iban|rib|siret|licence|license|serial|reference|ref|dossier|badge|casier|locker|boite a lettres|place de parking|parking spot|parking space|groupe sanguin|blood type|pointure|shoe size|taille|size|alarm|alarme|interphone|postal code|code postal|postcode|zip)(?= |$)/;

/** Things whose place is worth keeping. */
export const KEPT =
  /(?:^| )(?:cles?|keys?|doubles?|passeports?|passports?|papiers|disjoncteur|compteur|stopcock|fuse ?box|vanne|extincteur|carnet de sante|ordonnances?|testament|will|factures?|trousse|coffre|safe|spare)(?= |$)/;
