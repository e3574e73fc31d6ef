import type { FactKind } from '../../../shared/contract/facts.ts';
import type { SingleValued } from './statement.ts';

/** What must stand behind the words of a relation for it to be one. */
export type Needs = 'name' | 'date' | 'place' | 'object' | 'number' | 'particular' | 'nothing';

/** A way to say one thing about somebody: an entry of a table, in either language. */
export interface Relation {
  /** The beginning of a predicate: folded words joined by spaces, without adverbs and negations. */
  pattern: RegExp;
  kind: FactKind;
  importance: number;
  /** The single-valued relation that the words behind the pattern give its value. */
  gives?: SingleValued;
  needs: Needs;
  /** What the words behind must not begin with. */
  unless?: RegExp;
  /** Said of a person known by a bare name alone, it shows that the name is somebody's. */
  isHuman?: boolean;
}

/** Auxiliaries, and the pronouns between a subject and its verb; bounded, since no clause has more. */
const AUXILIARIES =
  "(?:(?:ai|as|a|avons|avez|ont|suis|es|est|sommes|etes|sont|vais|vas|va|allons|vont|viens de|vient de|venons de|viennent de|avais|avait|etais|etait|serai|sera|m|me|t|s|se|nous|y|l|en|am|is|are|was|were|'s|have|has|had|will|going to|been|be|just|got|did|used to|start|started to|ete|finit par|fini par|decided to|decide de|plan to|planning to|compte|comptons|prevois de|prevu de|dois|doit|devons|doivent|have to|has to|need to|needs to|must) ){0,6}";

type Extra = Partial<Pick<Relation, 'gives' | 'unless' | 'isHuman'>>;

/**
 * An entry of a table.
 * @param words alternatives of the words behind the auxiliaries, folded
 */
export function relation(
  words: string,
  kind: FactKind,
  importance: number,
  needs: Needs,
  extra: Extra = {},
): Relation {
  return {
    pattern: new RegExp(`^${AUXILIARIES}(?:${words.trimEnd()})(?= |$)`),
    kind,
    importance,
    needs,
    ...extra,
  };
}
