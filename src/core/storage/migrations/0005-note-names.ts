import type { Migration } from '../migrate.ts';

/** Titles and aliases as folded words, so that a note which a message names is found by one seek. `folded_words` is a function of the connection. */
export const noteNames: Migration = {
  version: 5,
  name: 'note-names',
  sql: `
    CREATE TABLE note_names (
      name TEXT NOT NULL, -- folded words with single spaces
      note_id TEXT NOT NULL REFERENCES notes(id) ON DELETE CASCADE,
      PRIMARY KEY (name, note_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX note_names_by_note ON note_names (note_id);
    CREATE TRIGGER note_named AFTER INSERT ON notes BEGIN
      INSERT OR IGNORE INTO note_names
        SELECT folded_words(value), new.id FROM json_each(json_insert(new.aliases, '$[#]', new.title))
        WHERE folded_words(value) <> '';
    END;
    CREATE TRIGGER note_renamed AFTER UPDATE OF title, aliases ON notes
    WHEN old.title <> new.title OR old.aliases <> new.aliases BEGIN
      DELETE FROM note_names WHERE note_id = new.id;
      INSERT OR IGNORE INTO note_names
        SELECT folded_words(value), new.id FROM json_each(json_insert(new.aliases, '$[#]', new.title))
        WHERE folded_words(value) <> '';
    END;
    INSERT OR IGNORE INTO note_names
      SELECT folded_words(j.value), n.id FROM notes n, json_each(json_insert(n.aliases, '$[#]', n.title)) j
      WHERE folded_words(j.value) <> '';

    CREATE INDEX turns_by_time ON turns (created_at);

    CREATE TABLE fact_subjects (
      subject TEXT NOT NULL, -- folded words
      fact_id TEXT NOT NULL REFERENCES facts(id) ON DELETE CASCADE,
      PRIMARY KEY (subject, fact_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX fact_subjects_by_fact ON fact_subjects (fact_id);
    CREATE TRIGGER fact_given_subjects AFTER INSERT ON facts BEGIN
      INSERT OR IGNORE INTO fact_subjects
        SELECT folded_words(value), new.id FROM json_each(new.subjects) WHERE folded_words(value) <> '';
    END;
    CREATE TRIGGER fact_subjects_changed AFTER UPDATE OF subjects ON facts WHEN old.subjects <> new.subjects BEGIN
      DELETE FROM fact_subjects WHERE fact_id = new.id;
      INSERT OR IGNORE INTO fact_subjects
        SELECT folded_words(value), new.id FROM json_each(new.subjects) WHERE folded_words(value) <> '';
    END;
    INSERT OR IGNORE INTO fact_subjects
      SELECT folded_words(j.value), f.id FROM facts f, json_each(f.subjects) j WHERE folded_words(j.value) <> '';
  `,
};
