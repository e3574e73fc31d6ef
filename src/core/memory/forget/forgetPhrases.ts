import { FULL_WEEKDAYS, MONTHS } from '../../support/text/calendar.ts';

/** Patterns over folded words joined by spaces, see `readWords`. */
const whole = (...parts: string[]) => new RegExp(`^(?:${parts.join('|')})$`);
const starts = (...parts: string[]) => new RegExp(`^(?:${parts.join('|')})(?= |$)`);
const request = (...parts: string[]) =>
  starts(`(?:(?:please|stp|s il te plait|just) )*(?:${parts.join('|')})`);

const SOFT =
  '(?: (?:bien|juste|donc|maintenant|aussi|stp|svp|s il te plait|s il vous plait|please|kindly|just|now|maybe|possibly|also|simply|,))*';
/** Before « oublier », « effacer »: asking the one who is spoken to. */
const FRENCH_ASKING = [
  `(?:est ce que )?(?:tu|vous) (?:peux|pourrais|pourras|pouvez|pourriez|veux bien|voudrais bien|voulez bien|voudriez bien|dois|devrais|devez|devriez)${SOFT}`,
  `(?:peux|pourrais|veux|voudrais|pouvez|pourriez|voulez|voudriez) (?:tu|vous)${SOFT}`,
  '(?:est il|serait il|c est|ce serait|est ce) possible d(?:e)?',
  'veuillez|(?:merci )?d(?:e)?(?: bien vouloir)?|(?:je te|je vous|je t|je v) (?:demande|demanderais|prie)(?: de bien vouloir)? d(?:e)?|merci de bien vouloir',
].join('|');
/** Before « oublies », « effaces ». */
const FRENCH_WISHING =
  '(?:je (?:veux|voudrais|souhaite|souhaiterais|prefere|prefererais)|j aimerais|il faut|il faudrait|faut|faudrait)(?: bien| vraiment| juste| maintenant)? que (?:tu|vous)';
/** Before "forget", "erase". */
const ENGLISH_ASKING = [
  `(?:can|could|will|would|might) you${SOFT}`,
  `(?:i (?:want|need|would like|would prefer|would love|ask|am asking)|i d like)(?: for)? you to${SOFT}`,
  `you (?:can|could|should|may|must|need to|have to)${SOFT}`,
  '(?:make sure|be sure) (?:you|to)|i would appreciate it if you(?: could)?|(?:is it|would it be) possible(?: for you)? to',
].join('|');

/** A request to forget, up to its object. */
export const FORGET_HEAD = request(
  'oublie|oublies|oubliez',
  `(?:${FRENCH_ASKING}) oublie(?:r)?`,
  `(?:${FRENCH_WISHING}) oubli(?:es|e|ez|iez)`,
  'forget|simply forget',
  `(?:${ENGLISH_ASKING}) forget`,
  'would you mind forgetting|stop remembering',
  'ne (?:te |vous )?(?:souviens|souvenez|rappelle|rappelez)(?: toi| vous)? plus(?: de| d)?',
  'a oublier(?= :)',
);
/** Its first words ask whether it can be done: of things in general that is a question. */
export const IS_ABILITY =
  /^(?:est ce|(?:peux|pourrais|pouvez|pourriez|veux|voudrais|voulez|voudriez) (?:tu|vous)|(?:tu|vous) (?:peux|pourrais|pouvez|pourriez)|est il|serait il|c est|ce serait|can|could|will|would|might|is it)(?= )/;

/** A request to erase, up to its object, which must say that memory is meant. */
export const ERASE_HEAD = request(
  'efface|effacez|supprime|supprimez|retire|retirez|enleve|enlevez|raye|rayez|purge|vide|videz|nettoie',
  `(?:${FRENCH_ASKING}) (?:effacer|supprimer|retirer|enlever|rayer|purger|vider)`,
  `(?:${FRENCH_WISHING}) (?:effaces?|effac(?:i)?ez|supprimes?|supprim(?:i)?ez|retires?|retir(?:i)?ez|enleves?|enlev(?:i)?ez)`,
  '(?:delete|erase|remove|clear|wipe|purge|scrub)',
  `(?:${ENGLISH_ASKING}) (?:delete|erase|remove|clear|wipe|purge|scrub)`,
);

/** A request not to keep, up to its object, which must be something that was said. */
export const KEEP_NOT_HEAD = request(
  'ne (?:retiens|retenez|garde|gardez|memorise|memorisez|enregistre|enregistrez|note|notez) (?:pas|plus|rien de)',
  'do not (?:remember|keep|store|save|memori[sz]e|retain)',
);

/** What stands around the object, in either language. */
export const BEFORE_OBJECT = starts(
  ',|:|–|–',
  'stp|svp|s il te plait|s il vous plait|please|donc|juste|just|aussi|also|maintenant|now|bien|completement|totalement|entierement|definitivement|completely|totally|entirely|tout de suite|about|moi(?= (?:tout|ce|ca|cette|cet|le|la|les|l|mon|ma|mes) )',
);
export const AFTER_OBJECT =
  /(?:^| )(?:,|:|–|stp|svp|s il te plait|s il vous plait|please|pls|merci(?: beaucoup| bien| d avance)?|thanks(?: a lot| so much)?|thank you|maintenant|now|right now|tout de suite|immediatement|immediately|definitivement|pour toujours|a (?:tout )?jamais|forever|for ever|for good|completement|completely|entirely|totalement|totally|ok|okay|d accord|veux tu|tu veux bien|will you|would you|can you|hein|then|alors)$/;

/** After « oublie »: it asks not to forget, to leave something undone, or a skill. */
export const NOT_AN_OBJECT = starts(
  'pas|jamais|point|plus|surtout|rien|to|how|where|when|why|who|whom|whether|if|comment|ou|quand|pourquoi|qui|si|s il|s ils|d|de|du',
  'moi|me|toi|yourself|nous|us|him|her|them|lui|eux|myself|himself|herself',
  'not|ever|never',
);

/** Something in general, or something that the next reply is to leave out. */
export const NO_TOPIC = starts(
  'un|une|des|a|an|some|any|quelque|quelques|chose|choses|things|stuff|something|anything|someone|people|everyone|everybody|tout le monde|certains|certaines',
  '(?:toutes? |tous )?(?:les |l |le |la |tes |tous tes |toutes tes |vos |mes |the |your |my |all |these |those |any |previous |prior |earlier |above |all of your |all the )*(?:\\S+ ){0,2}(?:instructions?|consignes?|directives?|regles|rules|guidelines?|system prompt|prompt|invite systeme|training|entrainement|programmation|programming|persona|role)',
  '(?:la|le|l|les|ma|mon|mes|cette|cet|ce|the|that|this|my|these|those)?(?: ?(?:derniere|dernier|premiere|premier|deuxieme|second|seconde|troisieme|last|first|second|third|previous|precedente|precedent|autre|other))* ?(?:question|questions|reponse|answer|reply|phrase|sentence|paragraphe|paragraph|etape|step|ligne|line|point|idee|idea|reste|rest|details|detail|mot|word|version|exemple|example|virgule|comma|titre|titles?|intro|introduction|conclusion|tableau|table|liste|list|recette|recipe|plan|blague|joke|passe|past|above|ci dessus|monde|world|time|temps|heure)(?: \\d+| precedente?| ci dessus| above| suivante?)?$',
);

/** Something that was just said, and that only the conversation before can tell. */
export const POINTING = whole(
  '(?:tout )?(?:ca|cela|ceci|celui ci|celle ci|celui la|celle la)(?: aussi)?',
  '(?:all (?:of )?)?(?:that|this|it|these|those)(?: too| one| bit| part)?|it all|them',
  'le|la|les|tout|everything|all|all of it|l ensemble',
  '(?:tout |absolument tout )?ce que (?:je|j|on|nous) (?:viens|venons|vient|t|te|vous|ai|a|avons|disais|dis)(?: (?:juste|de|te|t|vous|ai|a|avons|dire|dit|d|ecrire|ecrit|raconter|raconte|confier|confie|demander|la|deja|avant|plus tot|tout|l heure|precedemment|mentionner|mentionne|tout juste|parler|parle|disais|dis))*',
  '(?:what|whatever|everything|all|anything|the (?:things|stuff|thing|part))(?: that)? (?:i|we) (?:(?:have|had|just|ve) )*(?:said|told|wrote|written|mentioned|shared|asked|typed|sent)(?: (?:you|to you|here|before|earlier|just now|above|so far|a moment ago))*',
  '(?:mon|mes|ma|le|la|les|my|the)(?: (?:tout|toute|deux|two|last|latest|previous|dernier|derniere|derniers|dernieres|avant dernier|precedent|precedente|few|other))+ (?:messages?|phrases?|mots?|tours?|thing|things|statements?|words?|turns?|remarks?|sentences?|reponses?|echanges?)(?: (?:i (?:said|told you|wrote)|que j ai (?:dit|ecrit)|que je t ai dit|you (?:learned|learnt|noted|remembered)))?',
  '(?:(?:the fact )?that |que |qu )?(?:i|we|je|j|on)(?: (?:ever|just|have|had|t|te|vous|l|ai|a|en))* (?:said|told you|mentioned|asked|wrote|dit|parle|demande|ecrit)(?: (?:that|this|it|so|anything|you|ca|cela|quelque chose))*',
  '(?:mon|my) message(?: precedent)?|(?:la|le) (?:derniere|dernier) (?:chose|truc)(?: que (?:je t ai dit|j ai dite?|tu as (?:appris|retenue?|notee?)))?',
);
/** It is small talk, or goes on to something else. */
export const NEVER_MIND =
  /(?:^| )(?:never mind|nevermind|laisse tomber|laisse|tant pis|pas grave|peu importe|no worries|no matter|not important|pas important|ce n est rien|ce est rien|c est rien|c est bon|bref|whatever|does not matter|passons|moving on|let s move on)(?= |$)/;

/** The conversation that is open. */
export const CONVERSATION = whole(
  '(?:toute |tout )?(?:cette|cet|notre|la presente) (?:conversation|discussion|echange|fil|session)(?: ci| la| entiere?| en entier| en cours)?',
  '(?:tout )?(?:ce (?:que|qui|qu) .{0,60}|le contenu) (?:dans|de|pendant|au cours de|lors de) (?:cette|cet|notre) (?:conversation|discussion|echange|fil|session)',
  '(?:tout )?ce (?:que|qu|qui) .{0,40}(?:dans )?(?:ici|dans ce fil)',
  '(?:this|our)(?: (?:whole|entire|present|current))? (?:conversation|chat|discussion|thread|exchange|session)|the (?:present|current) (?:conversation|chat|discussion|thread)',
  '(?:everything|all|anything|what|whatever)(?: .{0,60})? (?:in|from|during|of) (?:this|our)(?: (?:whole|entire|present|current))? (?:conversation|chat|discussion|thread|exchange|session)|(?:everything|all|what)(?: that)? (?:i|we) .{0,30} (?:in )?here',
);

/** « tout ce que tu sais sur », "everything about": what comes before a topic. */
const ABOUT_FR =
  '(?:sur|de|d|du|des|a propos de|a propos d|a propos du|a propos des|au sujet de|au sujet d|au sujet du|au sujet des|concernant|quant a|par rapport a|avec)';
const ABOUT_EN = '(?:about|on|concerning|regarding|related to|relating to|to do with|involving|of|with)';
const STUFF_FR =
  '(?:infos?|informations?|donnees|souvenirs?|faits?|choses?|trucs?|details?|messages?|notes?|conversations?|discussions?|echanges?|histoires?)';
const STUFF_EN =
  '(?:info|information|data|memory|memories|facts?|things?|stuff|details?|messages?|notes?|conversations?|discussions?|chats?|part|bit|story)';
export const ABOUT = starts(
  `(?:absolument )?tout (?:sur|a propos de|a propos d|a propos du|au sujet de|au sujet d|au sujet du|concernant|de|d)`,
  `(?:absolument )?(?:tout )?ce qui (?:concerne|touche(?: a)?|a trait a|se rapporte a|a rapport (?:a|avec)|parle (?:de|d|du|des))`,
  `(?:absolument )?(?:tout )?ce (?:que|qu) (?:je|j|on|nous|tu|vous|t|te) (?:\\S+ ){1,6}?${ABOUT_FR}`,
  `(?:absolument )?(?:tout )?ce dont (?:je|j|on|nous) (?:\\S+ ){1,6}?${ABOUT_FR}`,
  `(?:toutes? |tous )?(?:les |mes |nos |tes |vos |le |l |la |notre )?${STUFF_FR} (?:(?:que|qu) (?:\\S+ ){1,6}?)?${ABOUT_FR}`,
  `(?:everything|all|anything|whatever)(?: there is)? ${ABOUT_EN}`,
  `(?:everything|all|anything|what|whatever)(?: that)? (?:i|we|you) (?:\\S+ ){1,6}?${ABOUT_EN}`,
  `(?:all |all of )?(?:the |my |our |your |any )?${STUFF_EN} (?:(?:that )?(?:i|we|you) (?:\\S+ ){1,6}?)?${ABOUT_EN}`,
  `(?:toute )?(?:ta|votre) memoire ${ABOUT_FR}`,
);
/** « que je t’ai parlé de », "that I told you about": what comes before a topic. */
export const SAID_ABOUT = starts(
  `(?:(?:the fact )?that |(?:le fait )?(?:que|qu) )?(?:i|we|je|j|on|nous)(?: (?:ever|just|have|had|t|te|vous|l|ai|a|en|avons))* (?:said|told|spoke|talked|mentioned|asked|dit|parle|raconte|mentionne|demande)(?: (?:you|to you|anything|something|quelque chose))* (?:${ABOUT_FR}|${ABOUT_EN})`,
);
/** All of memory. */
export const WHOLE_MEMORY = whole(
  '(?:toute )?(?:ta|votre) memoire|(?:tous )?tes souvenirs|(?:all )?(?:of )?your (?:memory|memories)',
);
/** « tout ce que tu sais », "everything I told you": without a topic after it. */
export const ALL_SAID = starts(
  '(?:absolument )?tout|(?:tout )?ce (?:que|qu|dont|qui)|everything|all|anything|what|whatever|the (?:things?|stuff)',
  `(?:toutes? |tous )?(?:les |mes |nos |notre )?(?:messages?|conversations?|discussions?|echanges?)`,
  `(?:all )?(?:the |my |our )?(?:messages?|conversations?|discussions?|chats?)`,
  '(?:la|toute la) (?:journee|soiree|matinee|semaine)',
);

/** "Since" before a time, where it tells no cause. */
export const SINCE_THEN = new RegExp(
  `^since (?:last|yesterday|this|the (?:day before|start|beginning)|${[...FULL_WEEKDAYS, ...MONTHS].join('|')}|\\d)(?= |$)`,
);

/** That it is of memory that something is to be erased. */
export const OF_MEMORY =
  /(?:^| )(?:de|dans|hors de|from|in|out of) (?:ta|votre|la|tes|vos|your|the) (?:memoire|memoires|souvenirs|tete|memory|memories|mind|brain|head|records)(?= |$)/;
export const NAMES_MEMORY = starts(
  '(?:absolument )?(?:tout )?ce (?:que|qu) (?:tu|vous) (?:sais|savez|as|avez|retiens|connais|te)',
  '(?:absolument )?(?:tout )?ce (?:que|qu) (?:je|j|on) (?:t|te|vous) (?:ai|a) (?:dit|raconte|confie|donne)',
  '(?:everything|all|anything|what|whatever)(?: that)? you (?:know|remember|have|learned|learnt|stored|saved|noted|remembered)',
  '(?:everything|all|anything|what|whatever)(?: that)? (?:i|we) (?:have |just )?(?:told|said)',
  '(?:toutes? |tous )?(?:les |mes |tes |vos )?(?:souvenirs|faits) ',
  '(?:all )?(?:the |your |my |any )?(?:memories|memory|facts) (?:of|about|on)',
  '(?:toutes )?(?:mes|tes|vos) (?:donnees|infos?|informations?) (?:sur|concernant|a propos de)|(?:all )?(?:my|your) (?:data|info|information) (?:about|on)',
);

/** The object is a clause: « que j’habite à Nantes ». */
export const CLAUSE = starts(
  '(?:le fait )?(?:que|qu)|the fact that|that(?= (?:i|my|he|she|we|they|it|our|his|her|their|\\S+ (?:is|was|lives|lived|works|worked|likes|has|had)) )',
);
export const CLAUSE_SUBJECT = starts('je|j|i|on|nous|we|il|elle|he|she|they|ils|elles|it|c');

export const DETERMINER = starts(
  'le|la|les|l|mon|ma|mes|notre|nos|ton|ta|tes|votre|vos|ce|cet|cette|ces|du|des|au|aux|d|de|son|sa|ses|leur|leurs|the|my|our|your|this|that|these|those|his|her|their|its|toute?|tous|toutes|all|about|a propos de|sur|concernant|on|regarding',
);
/** Before another thing of a list. */
export const LISTED = starts(
  'le|la|les|l|mon|ma|mes|notre|nos|ton|ta|tes|votre|vos|ce|cet|cette|ces|the|my|our|your|this|that|these|those',
);
/** What was so, and is no longer. */
export const PAST =
  /^(?:ancien|ancienne|anciens|anciennes|precedent|precedente|precedents|precedentes|vieux|vieil|vieille|old|former|previous|outdated)(?= \S)/;
export const PAST_AFTER = /(?: (?:precedent|precedente|d avant|d alors|obsolete|perimee?))$/;
