/** Function words of French and English, folded. They weigh little in a question and reveal its language. */
const words = (text: string) => new Set(text.split(/\s+/).filter(Boolean));

export const frenchFunctionWords = words(`
 a ai aie aient ainsi alors apres as au aucun aucune aussi aux avec avez avoir avons c ce ceci cela celle celles celui
 ces cet cette ceux chaque chez ci comme comment combien d dans de des depuis deux donc dont du elle elles en encore
 entre es est et etaient etait etant etc ete etes etre eu eux fait faire faut il ils j je jusqu jusque l la laquelle le
 lequel les lesquels leur leurs lors lorsque lui m ma mais me meme memes mes mien moi moins mon n ne ni nos notre nous
 on ont ou par parce pas pendant peu peut peuvent plus pour pourquoi pouvez qu quand que quel quelle quelles quels
 quelqu quelque quelques qui quoi s sa sans se sera ses si sien soit son sont sous suis sur t ta tandis te tel telle tes
 toi ton tous tout toute toutes tres tu un une vers vos votre vous y ca cest etaient aurait serait peux veut veux dois doit
 faites souviens rappelle dis dit`);

export const englishFunctionWords = words(`
 a about after all also am an and any are as at be because been before being between both but by can cannot could
 did do does doing done during each either etc few for from further get got had has have having he her here hers him his
 how i if in into is it its itself just let many may me might more most much must my no nor not of off on once only or
 other our out over own please same shall she should so some such than that the their them then there these they this
 those through to too under until up upon us use very was we were what when where which while who whom whose why will
 with within without would you your yours tell`);

/** Function words of either language, which weigh little in a question. */
export const functionWords: ReadonlySet<string> = new Set([...frenchFunctionWords, ...englishFunctionWords]);

/**
 * Forms of verbs that help other verbs: avoir and être as Snowball's French stop words list them, and aller and "go", which make the near
 * future. A question that holds one ("ce qui n'allait pas") does not look for it.
 */
export const auxiliaries: ReadonlySet<string> = words(`
 ai as avons avez ont aie aies ait ayons ayez aient avais avait avions aviez avaient eus eut eumes eutes eurent eusse
 eusses eut eussions eussiez eussent aurai auras aura aurons aurez auront aurais aurait aurions auriez auraient ayant eu
 suis es est sommes etes sont sois soit soyons soyez soient etais etait etions etiez etaient fus fut fumes futes furent
 fusse fusses fussions fussiez fussent serai seras sera serons serez seront serais serait serions seriez seraient etant ete
 aller vais vas va allons allez vont aille ailles aillent allais allait allions alliez allaient irai iras ira irons irez
 iront irais irait irions iriez iraient allant alle allee alles allees go goes going gone went`);
