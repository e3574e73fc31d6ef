import { type Relation, relation } from './relation.ts';

const DEICTIC =
  /^(?:ca|cela|ceci|ce(?= |$)|cet|cette|ces|ton|ta|tes|votre|vos|l idee|l id|te|t|toi|vous|it|its|this|that|these|those|you|your|yours|him|her(?= |$)|them|when|how|where|what|the (?:way|idea|sound|look|answer|first|second|last)|quand|comment|la facon|la reponse|la premiere|la (?:version|deuxieme|troisieme|seconde|proposition|formulation|une|\d)|le (?:premier|deuxieme|second|\d)|l option|option|version|the (?:version|option|answer|latter|former)|bien que|to (?:know|see|hear|ask|get|have|try|understand|find|be able)|savoir|avoir|pouvoir|comprendre|voir|trouver|beaucoup(?=$)|,|;|a lot(?=$)|moi|lui|elle|everything|tout(?=$)|mieux(?=$)|more(?=$)|l un|not)(?= |$)/;
const ANIMALS =
  'chats?|chatte|chaton|chiens?|chienne|chiot|lapins?|lapine|hamster|perroquet|tortue|cheval|chevaux|jument|poney|poules?|chevres?|brebis|moutons?|vaches?|ane|anesse|perruche|furet|serpent|poissons?|ruches?|abeilles|cats?|dogs?|kittens?|pupp(?:y|ies)|rabbits?|bunny|parrot|tortoise|turtle|horses?|mare|pony|hens?|chickens?|goats?|donkeys?|budgie|ferret|snake|fish|cows?|sheep|pup|labrador|spaniel|terrier|poodle|collie|beagle|greyhound|lurcher|gecko|rats?|guinea pigs?|cochon d inde|iguane|bees|hives|cockatiel|canary|canari|epagneul|teckel|berger|golden retriever|border collie|bulldog|whippet|chihuahua|carlin|caniche';
const THINGS =
  'maison|appart|appartement|studio|chalet|ferme|gite|potager|jardin|terrain|vignes?|verger|house|flat|apartment|cottage|farm|allotment|garden|boat|bateau|voilier|van|camping car|caravane|campervan|moto|scooter|velo|vtt|trottinette|voiture|clio|tesla|car|bike|motorbike|piano|guitare|guitar|violon|violin|entreprise|boite|societe|shop|boutique|restaurant|business|company|startup|start up|blog|chaine|channel|podcast|site|licence|master|these|doctorat|degree|phd|diplome|bac|permis|licence|licence de pilote|passeport|passport|nationalite|citizenship|visa|tattoos?|tatouage|pacemaker|stimulateur|prothese|hearing aids?|implants?|lunettes|glasses|appareil(?: dentaire)?|braces|fauteuil roulant|wheelchair|panneaux solaires|solar panels|pompe a chaleur|heat pump|chaudiere|boiler|abonnement|membership|season ticket|carte';
const ILLNESSES =
  "asthme|asthma|diabete|diabetes|type \\d diabetes|cancer|\\w+ cancer|epilepsie|epilepsy|arthrose|arthrite|arthritis|endometriose|endometriosis|migraines?|chronic \\w+|hypertension|high blood pressure|tension|cholesterol|high cholesterol|thyroide|hypothyroidie|hypothyroidism|hyperthyroidie|thyroid|sclerose|ms|multiple sclerosis|parkinson|parkinson's|alzheimer|alzheimer's|dementia|apnee|sleep apnoea|sleep apnea|tdah|adhd|add|autisme|autism|dyslexie|dyslexia|dyspraxia|dyspraxie|depression|anxiete|anxiety|bipolar|bipolaire|crohn|crohn's|coeliac disease|celiac disease|maladie (?:de|coeliaque)|lupus|psoriasis|eczema|eczema|rhume des foins|hay fever|hernie|hernia|hernie discale|slipped disc|sciatique|sciatica|scoliose|scoliosis|tendinite|tendinitis|fracture|entorse|sprained|broken|stroke|avc|infarctus|heart attack|heart (?:condition|problem|murmur|disease)|souffle au coeur|probleme (?:de|au|cardiaque)|problemes (?:de|cardiaques)|pcos|ibs|reflux|glaucome|glaucoma|cataracte|cataracts?|myopie|daltonisme|acouphenes|tinnitus|anemie|anaemia|anemia|osteoporose|osteoporosis|gout|goutte|fibromyalgie|fibromyalgia|covid long|long covid|mononucleose|lyme|phobie|phobia|vertige|peur des|latex allergy|groupe sanguin|blood type|stent|pacemaker|bad (?:knee|back|hip|shoulder)|kidney stones|calculs renaux|ulcere|ulcer|haemophilia|hemophilie|vih|hiv|drepanocytose|sickle cell";
const BODY =
  'bras|jambe|cheville|poignet|epaule|genou|pied|main|doigt|orteil|nez|dos|cote|cotes|clavicule|coude|hanche|ligament|ligaments|menisque|dent|tibia|perone|femur|arm|leg|ankle|wrist|shoulder|knee|foot|hand|finger|thumb|toe|nose|back|rib|ribs|collarbone|elbow|hip|acl|tooth|achilles';

/** Preferences, diets, allergies, illness and treatment, habits, belongings. */
export const tasteRelations: readonly Relation[] = [
  relation('(?:prefere|preferes|preferons|preferent|prefer|prefers)', 'preference', 0.6, 'object', {
    unless: DEICTIC,
    isHuman: true,
  }),
  relation(
    '(?:aime|aimons|aiment|adore|adores|adorons|adorent|deteste|detestes|detestons|detestent|hais|hait|raffole|raffolent|kiffe|kiffes|kiffent|supporte|supportes|supportons|supportent|like|likes|love|loves|hate|hates|dislike|dislikes|enjoy|enjoys|adore|adores|loathe|loathes|can (?:not )?stand|can (?:not )?bear|can stand|can bear|passionnee? (?:de|par|d)|passionate about|fan (?:de|d|of|du)|(?:a )?(?:big |huge |grand |grande |enorme )?fan (?:de|d|of|du)|obsessed with|keen on|into|mad about|crazy about|fond of|accro (?:a|au|aux)|dingue de|fou de|folle de|scared of|terrified of|afraid of|evite|evitons|evites|avoid|avoids|avoiding|tolere|digere|tolerate|handle|craque pour|carbure (?:a|au)|soutiens|supporter (?:de|du|d)|interesse (?:a|au|aux)|interested in|addicted to|hooked on|a sucker for|an? \\w+ (?:fan|supporter|lover|addict)|partial to|more of an?|more a|plus (?:the|cafe|chien|chat|salee?|sucree?|mer|montagne)|du matin|du soir|a (?:morning|night|cat|dog|tea|coffee) person|a night owl|an early bird|horreur (?:de|des|du)|peur (?:de|des|du|d)|phobie)',
    'preference',
    0.6,
    'object',
    { unless: DEICTIC, isHuman: true },
  ),
  relation(
    '(?:allergique|allergiques|allergic|intolerante?s?|intolerant|allergie|allergies|une allergie|une intolerance|an allergy|an intolerance|allergy|une? \\w+ allergy|a (?:\\w+ )?(?:nut|peanut|dairy|egg|shellfish|penicillin|latex|gluten|wheat|soy|pollen|bee|wasp) allergy|sensible|coeliaque|celiac|coeliac|lactose intolerant|gluten intolerant|diabetique|diabetic|asthmatique|asthmatic|epileptique|epileptic|hypertendue?|daltonien(?:ne)?|colou?r ?blind|sourde?|malentendante?|deaf|hard of hearing|aveugle|blind|malvoyante?|dyslexique|dyslexic|dyspraxique|autiste|autistic|bipolaire|hypersensible|hemophile|anemique|anaemic|anemic|insomniaque|insomniac|myope|short sighted|nearsighted|short-sighted|left handed|right handed|left-handed|gauchere?|gaucher|droitiere?|droitier|ambidextrous|phobique|ambidextre|claustrophobe|claustrophobic|agoraphobe|frileuse|frileux|immunodeprimee?|sober|sobre|abstinente?|ménopausee?)',
    'fact',
    0.9,
    'nothing',
    {
      isHuman: true,
      unless:
        /^(?:aux (?:reunions|lundis|cons)|to (?:mondays|bullshit|meetings|stupid|work|drama|nonsense)|au (?:travail|lundi)|au charme|spot)/,
    },
  ),
  relation(
    '(?:vegetarienne?s?|vegetariens?|vegetarian|vegetarians|a vegetarian|vegetariens|vegan|vegans|a vegan|vegane?s?|vegetalienne?s?|vegetaliens?|pescetarien(?:ne)?|pescatarian|pescetarian|a pescatarian|flexitarien(?:ne)?|flexitarian|sans gluten|gluten free|dairy free|sans lactose|halal|casher|kosher|au regime|on a (?:\\w+ )?diet|keto|juive?|juif|musulmane?|chretien(?:ne)?|catholique|protestante?|athee|bouddhiste|muslim|jewish|christian|catholic|atheist|buddhist|hindu|hindoue?|orthodoxe|quaker)',
    'identity',
    0.8,
    'nothing',
    { isHuman: true },
  ),
  relation(
    '(?:mange|manges|mangeons|mangent|manger|bois|boit|buvons|boivent|boire|eat|eats|drink|drinks|touch|consomme) (?:(?:de|d|du|des|any|only|que|que du|que des|sans|halal|casher|kosher|vegan|bio|mon|ma|my|au|no|meat|fish|pork|beef|dairy|gluten|alcohol|shellfish|seafood|nuts|eggs|bread|sugar|spicy|raw|cheese|mushrooms|tomatoes|fruits|oeufs|pain|sucre|epice|cru|viande|poisson|porc|le|la|les|mes) ?)',
    'preference',
    0.7,
    'object',
    { isHuman: true, unless: /^(?:une (?:pizza|glace|pomme)|la pizza)/ },
  ),
  relation(
    '(?:fume|fumes|fument|fumer|smoke|smokes|smoking|boire|bois d alcool|drink(?: alcohol)?)(?: (?:depuis|since|for|d alcool|alcohol|des|any ?more|un paquet|deux|\\d+)|$)',
    'fact',
    0.6,
    'nothing',
    { isHuman: true },
  ),
  relation(
    '(?:cut out|cut down on|supprime|arrete|arreter|arretons|arretee|stopped|quit|given up|gave up|give up|giving up|stop|repris|reprends|repris|resumed|took up|taken up|taking up|take up|commence|commencer|commencee|started|starting|start|demarre|me suis mise?|suis mise?|mise?|inscrite?|inscris|inscrire|signed up|enrolled|enrol|registered|abonnee?|subscribed)(?: (?:a|au|aux|la|le|l|les|de|du|d|to|for|in|on|my|mon|ma|une?|an?|the))*',
    'event',
    0.6,
    'object',
    {
      isHuman: true,
      unless:
        /^(?:me|t|te|poser|asking|it|reading this|a (?:new|lire)|lire (?:ce|le)|paniquer|rire|laughing|crying|pleurer|worrying|thinking|from|over|again|with|by|ce|mangee?|regarder|watching|writing (?:this|a)|to)(?= |$)/,
    },
  ),
  relation(
    `(?:souffre|souffrons|souffrent|souffrir|suffer|suffers|suffering|suffered|atteinte?|diagnostiquee?|diagnostique|diagnosed|soignee?|soigne|treated|traitee?|suivie?|sous|on|recover(?:ing)?|remis|remise|gueri|guerie)(?: (?:de|d|du|des|from|with|pour|by|par|for|as|comme))?`,
    'fact',
    0.8,
    'object',
    {
      isHuman: true,
      unless:
        /^(?:la (?:chaleur|pluie|douche)|le (?:choc|charme)|it|top|track|fire|my (?:way|own|phone|laptop)|the (?:train|bus|way|phone|road|sofa|couch|plane|same|fence|other|move)|a (?:roll|call|train|bus|plane|break|budget)|time|pression|l eau|cours|board|call with|vacation|holiday|leave|page|point|purpose|edge|mon|your|this|that|here|a)(?= |$)/,
    },
  ),
  relation(
    `(?:sous|on|prends|prend|prenons|take|takes|taking|put on|mise? sous) (?:un |une |des |du |de la |de l |mon |ma |son |my |his |her |a |some )?(?:traitement|medicament|medicaments|medoc|medocs|antibiotiques?|antidepresseurs?|anticoagulants?|cortisone|insuline|pilule|ventoline|morphine|chimio|treatment|medication|meds|antibiotics|antidepressants|blood thinners|statins?|insulin|the pill|steroids|chemo|beta blockers?|levothyrox|levothyroxine|metformin|metformine|warfarin|ibuprofen|doliprane|paracetamol|aspirine|aspirin|\\w+(?:ine|in|ol|ex|il|pril|statin|xine) (?:\\d|tous|every|chaque|le|pour|for|twice|once|matin)|tablets|fer|iron|vitamine|vitamin|probiotics|probiotiques)`,
    'fact',
    0.8,
    'nothing',
    { isHuman: true },
  ),
  relation(
    `(?:casse|cassee|casser|fracture|fracturee|foule|foulee|tordu|tordue|luxe|luxee|dechire|dechiree|brule|brulee|broke|broken|break|fractured|sprained|twisted|dislocated|tore|torn|burnt|burned|hurt|injured|blesse|blessee|fait voler|vole|stole|robbed|burgled|cambriole|cambriolee|opere|operee|operer|operation|surgery|operated|(?:had|have|having|has) (?:an? |my |his |her )?(?:\\w+ )?(?:surgery|operation|op|mri|scan|transplant|bypass|c section|biopsy|hip replacement|knee replacement|root canal|crown|cast|irm)|plaster(?:ed)?|platre|platree|faire (?:operer|enlever|retirer|poser|opere)|fait (?:operer|enlever|retirer|poser|une (?:chute|crise|fausse couche|operation|phlebite|embolie|depression|rechute))|(?:eu|fait) un (?:accident|avc|infarctus|malaise|burn out|cancer)|had (?:a|an) (?:accident|stroke|heart attack|miscarriage|seizure|fall|crash|burnout))(?: (?:le|la|l|les|mon|ma|mes|my|his|her|a|the|du|de|des|au|d|en|on|for|pour|une|un|in|both|dans|from|last|hier))*`,
    'event',
    0.8,
    'nothing',
    {
      isHuman: true,
      unless:
        /^(?:verre|vase|telephone|phone|vaisselle|assiette|glass|laptop|ordi|feelings|mug|screen|ecran|up|down|record|tete|pieds|oreilles|reveil|machine|washing|dishwasher|even|voiture|car|news|silence)/,
    },
  ),
  relation(
    `(?:ai|as|a|avons|ont|have|has|having|had|got|eu|fais|fait|developed|developpe|attrape|caught) (?:(?:de|du|d|des|la|le|l|un|une|a|an|the|mild|severe|type|chronic|bad|really|serious|legere?|fort|forte|petit|petite|mon|my|no|some|une forme de|beaucoup de) )*(?:${ILLNESSES})`,
    'fact',
    0.8,
    'nothing',
    { isHuman: true },
  ),
  relation(
    `(?:ai|as|a|avons|ont|aurai|have|has|had|got|own|owns|possede|possedons|adopte|adopter|recueilli|adopted|adopting|rescued|getting|get|gets|keep|keeps|keeping|eleve|elevons|garde|achete|bought|buy|buying|acheter|vendu|vendre|sold|sell|selling|vends|loue|louons|rent|rents|renting|ouvert|ouvre|ouvrir|opened|opening|monte|lance|launched|launching|lancer|cree|creer|founded|set up|run|runs|tiens|tient|gere|gerons|construis|construire|construit|building|built|built|renove|renovons|renover|renovating|passe|obtenu|obtenir|eu|passed|porte|portons|wear|wears|mis|installe|installer|installed|reprend|reprends|repris|inherited|herite|prise?) (?:(?:de|du|d|des|la|le|l|un|une|a|an|the|my|our|his|her|mon|ma|mes|nos|notre|son|sa|ses|\\d+|deux|trois|quatre|cinq|six|two|three|four|five|six|petite?s?|grande?s?|vieux|vieille|vieil|nouveau|nouvelle|old|new|little|small|big|second|first|driving|ancienne?|black|white|ginger|rescue|jeunes?|young|electric|family|own|propre|couple of|few|quelques|belle|beau|noir|noire|blanc|blanche|rescue|stray|elderly|tiny|used|second hand|hand|tabby|brown|grey|golden|border) )*(?:${ANIMALS}|${THINGS}|driving test)`,
    'fact',
    0.6,
    'nothing',
    { isHuman: true, unless: /^(?:en panne|rental for|de (?:credit|visite) (?:ne|qui))/ },
  ),
  relation(
    '(?:ai|a|avons|ont|have|has|got|eu|had) (?:(?:de|d|des|un|une|a|an|the|\\d+|deux|trois|quatre|cinq|six|two|three|four|five|six|only|no|grands?|petits?|petite|grande|older|younger|big|little|twin|step|half|demi|belle|beau|autre|another|other|eldest|young|grown up|grown|adult|new|nouveau|nouvelle|adolescents?|teenage|vieil|vieille|bonne?|meilleure?|good|best|great|identical) )*(?:enfants?|filles?|fils|garcons?|freres?|soeurs?|jumeaux|jumelles|cousine?s?|neveux?|nieces?|petits enfants|ados?|bebe|kids?|child|children|sons?|daughters?|boys?|girls?|brothers?|sisters?|siblings|twins|nephews?|nieces?|grandchildren|grandkids|grandson|granddaughter|godson|goddaughter|filleule?|copine|copain|girlfriend|boyfriend|partner|wife|husband|colocs?|flatmates?|roommates?|housemates?|uncle|aunt|oncle|tante|ami|amie|friend|voisine?|neighbou?r|collegue|colleague)',
    'relation',
    0.7,
    'nothing',
    {
      isHuman: true,
      unless:
        /^(?:over|round|coming over|around|a la maison ce|staying|who (?:wants|asked|keeps)|qui (?:veut|demande))/,
    },
  ),
  // What people do, study, speak and play.
  relation(
    '(?:joue|joues|jouons|jouent|jouer|play|plays|playing)(?: (?:de la|de l|du|de|d|des|au|aux|a la|the|a|in|for|dans|pour))?',
    'preference',
    0.5,
    'object',
    { isHuman: true, unless: /^(?:(?:un )?role|with|avec|le jeu|cette|this|that|along|games?$)/ },
  ),
  relation(
    '(?:fais|faisons|fait|font|do|does|doing|pratique|pratiquons|pratiquent|practise|practice|practises|practices) (?:(?:de la|de l|du|de|d|des|a lot of|some) )?(?:yoga|pilates|judo|karate|boxe|boxing|escalade|climbing|randonnee?s?|natation|swimming|danse|dance|dancing|foot|football|rugby|tennis|basket|hand|velo|cyclisme|cycling|course(?: a pied)?|running|jogging|trail|marathons?|triathlons?|musculation|muscu|gym|crossfit|theatre|drama|chorale|poterie|pottery|ceramique|couture|sewing|tricot|knitting|crochet|broderie|photo|photographie|photography|peinture|painting|aquarelle|dessin|echecs|chess|piano|guitare|violon|equitation|voile|sailing|plongee|diving|surf|ski|snowboard|badminton|ping pong|petanque|golf|aikido|jiu jitsu|bjj|meditation|jardinage|gardening|benevolat|volunteering|volunteer|woodwork|patinage|skating|escrime|gymnastique|gymnastics|ballet|radio|impro|improv|aquagym|marche nordique|apiculture|parkour|handball|volley|volleyball|tir a l arc|archery|kayak|aviron|rowing|parachutisme|generalogie|genealogie|nights|night shifts|des nuits|les nuits|les 3 8|les trois huit|un (?:bts|master|cap|bachelor|doctorat|stage|dut|but|mba|double cursus)|une (?:these|licence|prepa|formation|alternance|reconversion)|a (?:phd|master\\S*|degree|course|apprenticeship|postdoc))',
    'preference',
    0.6,
    'nothing',
    { isHuman: true },
  ),
  relation(
    '(?:cours|court|courons|run|runs|running|nage|nageons|swim|swims|swimming|cycle|cycles|cycling|marche|walk|walks|train|trains|training|entraine|entrainons|m entraine|s entraine|chante|sing|sings|singing|danse|dance|dances|peins|paint|paints|tricote|knit|knits|couds|sew|sews|jardine|cultive|cultivons|grow|grows|growing|collectionne|collect|collects|pratique|practise|bake|bakes|volunteer|volunteers|volunteering|encadre|coach|coaches|dirige|lead|leads|leading|preside|chair|chairs|meditate|meditates|medite|campe|peche|chasse|hunt|fish|skate|surf|grimpe|climb|climbs|hike|hikes|randonne|jeune|fast|prie|pray|prays) (?:.{0,40} )?(?:le|les|tous les|toutes les|chaque|every|each|on|twice|once|three times|deux fois|trois fois|une fois|\\d+ (?:km|k|fois|times|miles)|in (?:a|the)|dans (?:un|une|le|la)|un (?:semi|marathon|trail)|a (?:half|marathon|10k|triathlon)|for (?:a|the)|pour (?:un|le|la|une)|des|du|the|la|my|mes|old|vintage|vieux|vieilles|vinyls?|vinyles?|my own|stamps|timbres|depuis|since|with|avec|au|aux|a la)',
    'preference',
    0.5,
    'object',
    { isHuman: true, unless: /^(?:late|out|into|moment)/ },
  ),
  relation(
    '(?:parle|parles|parlons|parlent|speak|speaks|apprends|apprend|apprenons|apprendre|apprennent|learn|learns|learning|enseigne|enseignons|teach|teaches|teaching|taught|etudie|etudies|etudions|etudient|etudier|study|studies|studying|studied|prepare|preparons|preparing|suis des cours|suis des etudes|prends des cours|take|takes|taking|maitrise|comprends) (?:(?:le|la|l|les|de|du|des|d|un|une|a|in|some|fluent|couramment|mon|ma|my|the|couple of|classes?|courses?|lessons?|cours|etudes|for|pour) )*(?:anglais|francais|espagnol|allemand|italien|portugais|russe|chinois|mandarin|japonais|arabe|coreen|neerlandais|polonais|turc|breton|basque|occitan|catalan|lsf|langue des signes|latin|grec|hebreu|roumain|suedois|english|french|spanish|german|italian|portuguese|russian|chinese|japanese|arabic|korean|dutch|polish|turkish|welsh|gaelic|irish|hindi|urdu|bengali|sign language|bsl|asl|latin|greek|hebrew|swedish|norwegian|danish|ukrainian|ukrainien|tamil|swahili|droit|medecine|biologie|histoire|geographie|philo|philosophie|psycho|psychologie|maths?|mathematiques|physique|chimie|informatique|economie|eco|lettres|langues|sociologie|socio|architecture|musique|design|commerce|gestion|compta|comptabilite|law|medicine|biology|history|geography|philosophy|psychology|maths|physics|chemistry|computer science|economics|literature|languages|sociology|music|business|accounting|engineering|nursing|linguistics|marine biology|theology|agronomie|journalisme|journalism|politics|guitar|piano|guitare|violin|violon|drums|batterie|to drive|conduire|to code|the (?:cello|violin|piano|drums|guitar|harp)|concours|bac|permis|agregation|capes|crpe|exams?|gcses|a levels|bar exam|these|thesis|dissertation|phd|memoire|master)',
    'fact',
    0.6,
    'nothing',
    { isHuman: true },
  ),
  relation(
    '(?:passe|passes|passer|pass|passed|eu|obtenu|rate|failed|fail|valide|reussi|got|finished|completed|graduated|diplomee?|graduate|graduating|soutenu|defended|soutiens|soutenir) (?:(?:le|la|l|les|mon|ma|mes|son|sa|my|his|her|the|a|un|une|from|with|in|de|d|du|des) )*(?:bac|permis|brevet|concours|examens?|exam|exams|licence|master|these|diplome|degree|driving test|phd|thesis|viva|capes|agreg|agregation|partiels|crpe|university|uni|college|school|law school|med school|medical school|certification|gcses|a levels|finals|masters)',
    'event',
    0.7,
    'nothing',
    { isHuman: true },
  ),
  relation(
    '(?:conduis|roule|roulons|drive|drives|ride|rides) (?:une|un|en|a|an|my|mon|ma)',
    'fact',
    0.5,
    'object',
    { isHuman: true, unless: /^(?:ce|this|moment|rond|hour)/ },
  ),
  relation(
    '(?:mesure|mesures|pese|pesons|weigh|weighs|chausse|chausses|wear|take|fais du|fait du|mets du) (?:a )?(?:size |taille |du )?(?:\\d)',
    'fact',
    0.6,
    'nothing',
    { isHuman: true },
  ),
  relation(
    '(?:utilise|utilisons|utilises|use|uses|using|switched to|passee? (?:a|sous|sur)|code en|codons en|code in|program in|developpe en|run|tourne sous)',
    'preference',
    0.5,
    'name',
    { unless: DEICTIC },
  ),
  relation(`(?:mal|pain) (?:au|a la|aux|in my) (?:${BODY}) (?:depuis|since|for)`, 'fact', 0.6, 'nothing', {
    isHuman: true,
  }),
];
