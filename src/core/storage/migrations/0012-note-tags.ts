import type { Migration } from '../migrate.ts';

/** Tags of notes, so that the notes which carry one are found by a seek. `tag_key` is a function of the connection. */
export const noteTags: Migration = {
  version: 12,
  name: 'note-tags',
  sql: `
    CREATE TABLE note_tags (
      tag TEXT NOT NULL, -- lower case, without '#'; '/' between the levels
      note_id TEXT NOT NULL REFERENCES notes(id) ON DELETE CASCADE,
      PRIMARY KEY (tag, note_id)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX note_tags_by_note ON note_tags (note_id);
    CREATE TRIGGER note_given_tags AFTER INSERT ON notes WHEN new.tags <> '[]' BEGIN
      INSERT OR IGNORE INTO note_tags SELECT tag_key(value), new.id FROM json_each(new.tags) WHERE tag_key(value) <> '';
    END;
    CREATE TRIGGER note_tags_changed AFTER UPDATE OF tags ON notes WHEN old.tags <> new.tags BEGIN
      DELETE FROM note_tags WHERE note_id = new.id;
      INSERT OR IGNORE INTO note_tags SELECT tag_key(value), new.id FROM json_each(new.tags) WHERE tag_key(value) <> '';
    END;
    INSERT OR IGNORE INTO note_tags
      SELECT tag_key(j.value), n.id FROM notes n, json_each(n.tags) j WHERE tag_key(j.value) <> '';
    DROP INDEX notes_tagged;
  `,
};
