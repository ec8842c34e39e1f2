BEGIN IMMEDIATE;
ALTER TABLE sessions ADD COLUMN title_key TEXT NOT NULL DEFAULT '';
DROP TABLE passage_words;
          CREATE VIRTUAL TABLE passage_words USING fts5(text, content = '', contentless_delete = 1,
            tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'");
          INSERT INTO passage_words(passage_words, rank) VALUES('hashsize', 8388608);
          DROP TABLE title_terms;
          DROP TABLE title_words;
          CREATE VIRTUAL TABLE title_words USING fts5(text, content = '', contentless_delete = 1,
            tokenize = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'");
          CREATE VIRTUAL TABLE title_terms USING fts5vocab(title_words, 'row');
          INSERT INTO title_words(rowid, text) SELECT no, title FROM sessions;
          DROP TRIGGER sessions_renamed;
          CREATE TRIGGER sessions_renamed AFTER UPDATE OF title, title_key ON sessions
          WHEN NEW.title <> OLD.title OR NEW.title_key <> OLD.title_key
          BEGIN
            DELETE FROM title_words WHERE rowid = OLD.no;
            INSERT INTO title_words(rowid, text) VALUES(NEW.no, iif(NEW.title_key = '', NEW.title, NEW.title_key));
          END;
PRAGMA user_version = 8;
COMMIT;